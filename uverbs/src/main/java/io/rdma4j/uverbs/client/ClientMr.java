// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import org.jspecify.annotations.Nullable;

/** A memory region on the server: of shared files, of device memory, or of all memory mapped for the device. */
final class ClientMr implements MrOps {
    private final ClientSession session;
    private final int handle;
    private volatile int lkey;
    private volatile int rkey;
    /** Attributes of the last registration; null for a region without memory of this process. */
    private @Nullable MrInitAttributes registered;

    /** @param answer answer to the command that created the region, which has no memory of this process */
    ClientMr(ClientSession session, Message answer) {
        this(session, answer, null);
    }

    /**
     * @param answer answer to the command that created the region
     * @param registered its attributes
     */
    ClientMr(ClientSession session, Message answer, @Nullable MrInitAttributes registered) {
        this.session = session;
        this.handle = answer.get(CommandAttribute.HANDLE);
        this.registered = registered;
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

    /** Memory that stays is not sent, so that the server keeps the key. */
    @Override
    public synchronized void reregister(PdOps pd, MrInitAttributes attributes) {
        Message request = new Message(CommandType.REREG_MR)
                .put(CommandAttribute.HANDLE, handle)
                .put(CommandAttribute.PD, ((ClientPd) pd).handle())
                .putLong(CommandAttribute.IOVA, attributes.iova())
                .put(CommandAttribute.ACCESS, AccessFlag.mask(attributes.access()));
        boolean keepsMemory = registered != null && registered.hasMemoryOf(attributes);
        putKeys(session.call(keepsMemory ? request : ClientMemory.put(request, attributes.pieces())));
        registered = attributes;
    }

    @Override
    public void close() {
        session.destroy(CommandType.DEREG_MR, handle);
    }
}
