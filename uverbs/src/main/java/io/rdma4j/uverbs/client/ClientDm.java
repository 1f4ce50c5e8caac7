package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.DmOps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory of the server's device. Copies go over the socket, in parts.
 *
 * @param handle what commands name it by
 */
record ClientDm(ClientContext context, int handle) implements DmOps {
    private Message about(Command command, long offset) {
        return new Message(command).put(Attribute.HANDLE, handle).putLong(Attribute.OFFSET, offset);
    }

    private static MemorySegment part(MemorySegment memory, long done) {
        return memory.asSlice(done, Math.min(FrameCodec.MAX_DATA_BYTES, memory.byteSize() - done));
    }

    @Override
    public void write(long offset, MemorySegment source) {
        for (long done = 0; done < source.byteSize(); done += FrameCodec.MAX_DATA_BYTES) {
            byte[] data = part(source, done).toArray(ValueLayout.JAVA_BYTE);
            context.call(about(Command.WRITE_DM, offset + done).putBytes(Attribute.DATA, data));
        }
    }

    @Override
    public void read(long offset, MemorySegment target) {
        for (long done = 0; done < target.byteSize(); done += FrameCodec.MAX_DATA_BYTES) {
            MemorySegment to = part(target, done);
            Message answer = context.call(about(Command.READ_DM, offset + done).putLong(Attribute.SIZE, to.byteSize()));
            to.copyFrom(MemorySegment.ofArray(answer.getBytes(Attribute.DATA)));
        }
    }

    @Override
    public void close() {
        context.destroy(Command.FREE_DM, handle);
    }
}
