package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MrInitAttributes;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;

/** A memory region that the server has made: of files that both map, of device memory, or of all that is mapped for the device. */
final class ClientMr implements MrOps {
    private final ClientContext context;
    private final int handle;
    private volatile int lkey;
    private volatile int rkey;

    /** @param answer to the command that made it */
    ClientMr(ClientContext context, Message answer) {
        this.context = context;
        this.handle = answer.get(Attribute.HANDLE);
        putKeys(answer);
    }

    private void putKeys(Message answer) {
        lkey = answer.get(Attribute.LKEY);
        rkey = answer.get(Attribute.RKEY);
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
        Message request = new Message(Command.REREG_MR)
                .put(Attribute.HANDLE, handle)
                .put(Attribute.PD, ((ClientPd) pd).handle())
                .putLong(Attribute.IOVA, attributes.iova())
                .put(Attribute.ACCESS, AccessFlag.mask(attributes.access()));
        putKeys(context.call(ClientMemory.put(request, attributes.pieces())));
    }

    @Override
    public void close() {
        context.destroy(Command.DEREG_MR, handle);
    }
}
