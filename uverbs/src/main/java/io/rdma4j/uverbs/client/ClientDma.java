package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.DmaOps;

/**
 * Memory that is mapped for the server's device.
 *
 * @param handle what commands name it by
 */
record ClientDma(ClientContext context, int handle, long address) implements DmaOps {
    private void sync(boolean toDevice) {
        context.call(
                new Message(Command.SYNC_DMA).put(Attribute.HANDLE, handle).put(Attribute.TO_DEVICE, toDevice ? 1 : 0));
    }

    @Override
    public void syncForCpu() {
        sync(false);
    }

    @Override
    public void syncForDevice() {
        sync(true);
    }

    @Override
    public void close() {
        context.destroy(Command.UNMAP_DMA, handle);
    }
}
