// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.DmOps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Device memory on the server. Copies use the socket, in parts of at most {@link FrameCodec#MAX_DATA_BYTES}.
 *
 * @param handle handle in commands
 */
record ClientDm(ClientSession session, int handle) implements DmOps {
    private Message about(CommandType command, long offset) {
        return new Message(command).put(CommandAttribute.HANDLE, handle).putLong(CommandAttribute.OFFSET, offset);
    }

    private static MemorySegment part(MemorySegment memory, long done) {
        return memory.asSlice(done, Math.min(FrameCodec.MAX_DATA_BYTES, memory.byteSize() - done));
    }

    @Override
    public void write(long offset, MemorySegment source) {
        for (long done = 0; done < source.byteSize(); done += FrameCodec.MAX_DATA_BYTES) {
            byte[] data = part(source, done).toArray(ValueLayout.JAVA_BYTE);
            session.call(about(CommandType.WRITE_DM, offset + done).putBytes(CommandAttribute.DATA, data));
        }
    }

    @Override
    public void read(long offset, MemorySegment target) {
        for (long done = 0; done < target.byteSize(); done += FrameCodec.MAX_DATA_BYTES) {
            MemorySegment to = part(target, done);
            Message answer = session.call(
                    about(CommandType.READ_DM, offset + done).putLong(CommandAttribute.SIZE, to.byteSize()));
            to.copyFrom(MemorySegment.ofArray(answer.getBytes(CommandAttribute.DATA)));
        }
    }

    @Override
    public void close() {
        session.destroy(CommandType.FREE_DM, handle);
    }
}
