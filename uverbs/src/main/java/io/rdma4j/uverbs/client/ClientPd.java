package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.FmrAttributes;
import io.rdma4j.verbs.MrInitAttributes;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.FastMrOps;
import io.rdma4j.verbs.spi.FmrOps;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.MwOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.SrqEvents;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.XrcdOps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A protection domain that the server has made. */
final class ClientPd implements PdOps {
    private final ClientContext context;
    private final int handle;

    ClientPd(ClientContext context, int handle) {
        this.context = context;
        this.handle = handle;
    }

    int handle() {
        return handle;
    }

    private Message about(Command command) {
        return new Message(command).put(Attribute.PD, handle);
    }

    /** The server maps the same files, and calls their bytes by the addresses that they have here. */
    @Override
    public MrOps registerMemory(MrInitAttributes attributes) {
        checkLasting(attributes);
        Message request = about(Command.REG_MR)
                .putLong(Attribute.IOVA, attributes.iova())
                .put(Attribute.ACCESS, AccessFlag.mask(attributes.access()));
        return new ClientMr(context, context.call(ClientMemory.putRegion(request, attributes.pieces())));
    }

    /** The server cannot tell, since it sees files only. */
    private static void checkLasting(MrInitAttributes attributes) {
        boolean lasting = attributes.pieces().stream().allMatch(MemorySegment::isMapped);
        if (attributes.access().contains(AccessFlag.FLUSH_PERSISTENT) && !lasting) {
            throw new RdmaException(
                    Errno.EINVAL, "FLUSH_PERSISTENT needs memory that lasts: map a file (FileChannel.map)");
        }
    }

    @Override
    public MrOps registerDma(Set<AccessFlag> access) {
        return new ClientMr(
                context, context.call(about(Command.GET_DMA_MR).put(Attribute.ACCESS, AccessFlag.mask(access))));
    }

    @Override
    public MrOps registerDeviceMemory(DmOps memory, long offset, long length, Set<AccessFlag> access) {
        return new ClientMr(
                context,
                context.call(about(Command.REG_DM_MR)
                        .put(Attribute.DM, ((ClientDm) memory).handle())
                        .putLong(Attribute.OFFSET, offset)
                        .putLong(Attribute.SIZE, length)
                        .put(Attribute.ACCESS, AccessFlag.mask(access))));
    }

    @Override
    public MwOps allocateWindow(WindowType type) {
        Message answer = context.call(about(Command.ALLOC_MW).put(Attribute.MW_TYPE, type.code()));
        return new ClientMw(
                context, answer.get(Attribute.HANDLE), answer.get(Attribute.NUMBER), answer.get(Attribute.RKEY));
    }

    @Override
    public FastMrOps allocateFastRegion(int maxPages) {
        Message answer = context.call(about(Command.ALLOC_FAST_MR).put(Attribute.MAX_PAGES, maxPages));
        return new ClientFastMr(
                context, answer.get(Attribute.HANDLE), answer.get(Attribute.NUMBER), answer.get(Attribute.RKEY));
    }

    @Override
    public FmrOps allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        return new ClientFmr(
                context,
                context.call(about(Command.ALLOC_FMR)
                        .putRecord(Attribute.FMR_ATTRIBUTES, attributes)
                        .put(Attribute.ACCESS, AccessFlag.mask(access))));
    }

    @Override
    public AhOps createAddressHandle(AddressVector vector) {
        Message answer = context.call(about(Command.CREATE_AH).putRecord(Attribute.ADDRESS_VECTOR, vector));
        return new ClientAh(context, answer.get(Attribute.HANDLE), answer.get(Attribute.AH_NUMBER));
    }

    @Override
    public QpOps createQp(QpInitAttributes attributes, QpResources resources, QpEvents events) {
        refuse(attributes.queueMemory());
        return ClientQp.make(
                context, ClientQp.request(about(Command.CREATE_QP), attributes, resources), attributes, events);
    }

    static void refuse(@Nullable SegmentAllocator queueMemory) {
        if (queueMemory != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, "the server chooses where the queues lie");
        }
    }

    @Override
    public SrqOps createSrq(
            SrqInitAttributes attributes, @Nullable XrcdOps xrcDomain, @Nullable CqOps cq, SrqEvents events) {
        refuse(attributes.queueMemory());
        Message request;
        if (xrcDomain instanceof ClientXrcd domain && cq instanceof ClientCq queue) {
            request = about(Command.CREATE_XSRQ)
                    .put(Attribute.XRCD, domain.handle())
                    .put(Attribute.RECV_CQ, queue.handle());
        } else {
            request = about(Command.CREATE_SRQ);
        }
        request.putRecord(Attribute.SRQ_ATTRIBUTES, attributes.attributes());
        long number = context.register(events::event);
        try {
            return ClientSrq.make(context, request, number);
        } catch (RuntimeException e) {
            context.forget(number);
            throw e;
        }
    }

    @Override
    public void close() {
        context.destroy(Command.DEALLOC_PD, handle);
    }
}
