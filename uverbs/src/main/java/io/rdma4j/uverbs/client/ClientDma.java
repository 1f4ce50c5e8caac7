// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.DmaOps;

/**
 * Memory that is mapped for the server's device.
 *
 * @param handle handle in commands
 */
record ClientDma(ClientSession session, int handle, long address) implements DmaOps {
    private void sync(boolean toDevice) {
        session.call(new Message(CommandType.SYNC_DMA)
                .put(CommandAttribute.HANDLE, handle)
                .put(CommandAttribute.TO_DEVICE, toDevice ? 1 : 0));
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
        session.destroy(CommandType.UNMAP_DMA, handle);
    }
}
