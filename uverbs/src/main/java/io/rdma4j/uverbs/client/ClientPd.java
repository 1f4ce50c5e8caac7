// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
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
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.SrqEvents;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.SrqSetup;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A protection domain on the server. */
final class ClientPd implements PdOps {
    private final ClientSession session;
    private final int handle;

    ClientPd(ClientSession session, int handle) {
        this.session = session;
        this.handle = handle;
    }

    int handle() {
        return handle;
    }

    private Message about(CommandType command) {
        return new Message(command).put(CommandAttribute.PD, handle);
    }

    /** The server maps the same files; the region keeps the client's addresses. */
    @Override
    public MrOps registerMemory(MrInitAttributes attributes) {
        checkLasting(attributes);
        Message request = about(CommandType.REG_MR)
                .putLong(CommandAttribute.IOVA, attributes.iova())
                .put(CommandAttribute.ACCESS, AccessFlag.mask(attributes.access()));
        Message answer = session.call(ClientMemory.putRegion(request, attributes.pieces()));
        return new ClientMr(session, answer, attributes);
    }

    /** Checked here because the server maps only files and cannot see the difference. */
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
                session,
                session.call(about(CommandType.GET_DMA_MR).put(CommandAttribute.ACCESS, AccessFlag.mask(access))));
    }

    @Override
    public MrOps registerDeviceMemory(DmOps memory, long offset, long length, Set<AccessFlag> access) {
        return new ClientMr(
                session,
                session.call(about(CommandType.REG_DM_MR)
                        .put(CommandAttribute.DM, ((ClientDm) memory).handle())
                        .putLong(CommandAttribute.OFFSET, offset)
                        .putLong(CommandAttribute.SIZE, length)
                        .put(CommandAttribute.ACCESS, AccessFlag.mask(access))));
    }

    @Override
    public MwOps allocateWindow(WindowType type) {
        Message answer = session.call(about(CommandType.ALLOC_MW).put(CommandAttribute.MW_TYPE, type.code()));
        return new ClientMw(
                session,
                answer.get(CommandAttribute.HANDLE),
                answer.get(CommandAttribute.NUMBER),
                answer.get(CommandAttribute.RKEY));
    }

    @Override
    public FastMrOps allocateFastRegion(int maxPages) {
        Message answer = session.call(about(CommandType.ALLOC_FAST_MR).put(CommandAttribute.MAX_PAGES, maxPages));
        return new ClientFastMr(
                session,
                answer.get(CommandAttribute.HANDLE),
                answer.get(CommandAttribute.NUMBER),
                answer.get(CommandAttribute.RKEY));
    }

    @Override
    public FmrOps allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        return new ClientFmr(
                session,
                session.call(about(CommandType.ALLOC_FMR)
                        .putRecord(CommandAttribute.FMR_ATTRIBUTES, attributes)
                        .put(CommandAttribute.ACCESS, AccessFlag.mask(access))));
    }

    @Override
    public AhOps createAddressHandle(AddressVector vector) {
        Message answer = session.call(about(CommandType.CREATE_AH).putRecord(CommandAttribute.ADDRESS_VECTOR, vector));
        return new ClientAh(session, answer.get(CommandAttribute.HANDLE), answer.get(CommandAttribute.AH_NUMBER));
    }

    @Override
    public QpOps createQp(QpSetup attributes, QpResources resources, QpEvents events) {
        refuse(attributes.queueMemory());
        return ClientQp.make(
                session, ClientQp.request(about(CommandType.CREATE_QP), attributes, resources), attributes, events);
    }

    static void refuse(@Nullable SegmentAllocator queueMemory) {
        if (queueMemory != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, "the server chooses where the queues lie");
        }
    }

    @Override
    public SrqOps createSrq(SrqSetup attributes, @Nullable XrcdOps xrcDomain, @Nullable CqOps cq, SrqEvents events) {
        refuse(attributes.queueMemory());
        Message request;
        if (xrcDomain instanceof ClientXrcd domain && cq instanceof ClientCq queue) {
            request = about(CommandType.CREATE_XSRQ)
                    .put(CommandAttribute.XRCD, domain.handle())
                    .put(CommandAttribute.RECV_CQ, queue.handle());
        } else {
            request = about(CommandType.CREATE_SRQ);
        }
        request.putRecord(CommandAttribute.SRQ_ATTRIBUTES, attributes.attributes());
        long number = session.register(events::event);
        try {
            return ClientSrq.make(session, request, number);
        } catch (RuntimeException e) {
            session.forget(number);
            throw e;
        }
    }

    @Override
    public void close() {
        session.destroy(CommandType.DEALLOC_PD, handle);
    }
}
