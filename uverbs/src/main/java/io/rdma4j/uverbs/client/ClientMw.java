package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.verbs.spi.MwOps;

/**
 * A memory window that the server has made.
 *
 * @param object what commands name it by
 * @param handle what work requests name it by
 */
record ClientMw(ClientContext context, int object, int handle, int rkey) implements MwOps {
    @Override
    public void close() {
        context.destroy(Command.DEALLOC_MW, object);
    }
}
