// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;

/** A memory region on the server: of shared files, of device memory, or of all memory mapped for the device. */
final class ClientMr implements MrOps {
    private final ClientSession session;
    private final int handle;
    private volatile int lkey;
    private volatile int rkey;

    /** @param answer answer to the command that created the region */
    ClientMr(ClientSession session, Message answer) {
        this.session = session;
        this.handle = answer.get(CommandAttribute.HANDLE);
        putKeys(answer);
    }

    private void putKeys(Message answer) {
        lkey = answer.get(CommandAttribute.LKEY);
        rkey = answer.get(CommandAttribute.RKEY);
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public void reregister(PdOps pd, MrInitAttributes attributes) {
        Message request = new Message(CommandType.REREG_MR)
                .put(CommandAttribute.HANDLE, handle)
                .put(CommandAttribute.PD, ((ClientPd) pd).handle())
                .putLong(CommandAttribute.IOVA, attributes.iova())
                .put(CommandAttribute.ACCESS, AccessFlag.mask(attributes.access()));
        putKeys(session.call(ClientMemory.put(request, attributes.pieces())));
    }

    @Override
    public void close() {
        session.destroy(CommandType.DEREG_MR, handle);
    }
}
