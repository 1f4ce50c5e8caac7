package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.FastMrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A region of the server that is registered by work request.
 *
 * @param object what commands name it by
 * @param handle what work requests name it by
 */
record ClientFastMr(ClientContext context, int object, int handle, int key) implements FastMrOps {
    @Override
    public void map(List<MemorySegment> pieces) {
        context.call(ClientMemory.put(new Message(Command.MAP_FAST_MR).put(Attribute.HANDLE, object), pieces));
    }

    @Override
    public void close() {
        context.destroy(Command.DEALLOC_FAST_MR, object);
    }
}
