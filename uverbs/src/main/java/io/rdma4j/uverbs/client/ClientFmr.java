// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.FmrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A region on the server that commands map and unmap. */
final class ClientFmr implements FmrOps {
    private final ClientSession session;
    private final int handle;
    private volatile int key;

    /** @param answer answer to ALLOC_FMR */
    ClientFmr(ClientSession session, Message answer) {
        this.session = session;
        this.handle = answer.get(CommandAttribute.HANDLE);
        this.key = answer.get(CommandAttribute.RKEY);
    }

    @Override
    public int key() {
        return key;
    }

    @Override
    public void map(List<MemorySegment> pieces, long iova) {
        Message request = new Message(CommandType.MAP_FMR)
                .put(CommandAttribute.HANDLE, handle)
                .putLong(CommandAttribute.IOVA, iova);
        key = session.call(ClientMemory.put(request, pieces)).get(CommandAttribute.RKEY);
    }

    @Override
    public void unmap() {
        session.destroy(CommandType.UNMAP_FMR, handle);
    }

    @Override
    public void close() {
        session.destroy(CommandType.DEALLOC_FMR, handle);
    }
}
