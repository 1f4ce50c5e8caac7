package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.FmrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A region of the server that is mapped and unmapped by command. */
final class ClientFmr implements FmrOps {
    private final ClientContext context;
    private final int handle;
    private volatile int key;

    /** @param answer to the command that made it */
    ClientFmr(ClientContext context, Message answer) {
        this.context = context;
        this.handle = answer.get(Attribute.HANDLE);
        this.key = answer.get(Attribute.RKEY);
    }

    @Override
    public int key() {
        return key;
    }

    @Override
    public void map(List<MemorySegment> pieces, long iova) {
        Message request =
                new Message(Command.MAP_FMR).put(Attribute.HANDLE, handle).putLong(Attribute.IOVA, iova);
        key = context.call(ClientMemory.put(request, pieces)).get(Attribute.RKEY);
    }

    @Override
    public void unmap() {
        context.destroy(Command.UNMAP_FMR, handle);
    }

    @Override
    public void close() {
        context.destroy(Command.DEALLOC_FMR, handle);
    }
}
