package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.transport.memory.DmaUser;
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
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A protection domain of the device; keys and queue pairs compare it by identity. */
final class RxePd implements PdOps, DmaUser {
    /** Java cannot allocate memory with huge pages. */
    private static final Set<AccessFlag> UNSUPPORTED = EnumSet.of(AccessFlag.HUGETLB);

    private final RxePort port;
    private final DmaSpace dmaSpace;

    /** @param dmaSpace of the context of the domain */
    RxePd(RxePort port, DmaSpace dmaSpace) {
        this.port = port;
        this.dmaSpace = dmaSpace;
    }

    @Override
    public DmaSpace dmaSpace() {
        return dmaSpace;
    }

    @Override
    public MrOps registerMemory(MrInitAttributes attributes) {
        prepare(attributes);
        int rights = AccessFlag.mask(attributes.access());
        return new RxeMr(port, port.context().keys().register(this, attributes.pieces(), attributes.iova(), rights));
    }

    @Override
    public MrOps registerDma(Set<AccessFlag> access) {
        int rights = AccessFlag.mask(access);
        return new RxeMr(
                port, port.netLoop().exclusively(() -> port.context().keys().registerDma(this, dmaSpace, rights)));
    }

    @Override
    public MrOps registerDeviceMemory(DmOps memory, long offset, long length, Set<AccessFlag> access) {
        MemorySegment part = ((RxeDm) memory).part(offset, length);
        checkAccess(List.of(part), access);
        return new RxeMr(port, port.context().keys().register(this, part, 0, AccessFlag.mask(access)));
    }

    /**
     * Throws for access flags that the device does not support. Loads the pages of mapped files, so that no packet
     * waits for a disk, unless the region is registered ON_DEMAND. Corresponds to {@code ib_umem_get} and
     * {@code rxe_odp_mr_init_user}.
     */
    static void prepare(MrInitAttributes attributes) {
        checkAccess(attributes.pieces(), attributes.access());
        if (!attributes.access().contains(AccessFlag.ON_DEMAND)) {
            attributes.pieces().stream().filter(MemorySegment::isMapped).forEach(MemorySegment::load);
        }
    }

    /** Corresponds to the checks of {@code rxe_reg_user_mr} and {@code rxe_mr_init_user}. */
    private static void checkAccess(List<MemorySegment> pieces, Set<AccessFlag> access) {
        for (AccessFlag flag : UNSUPPORTED) {
            if (access.contains(flag)) {
                throw new RdmaException(Errno.EOPNOTSUPP, "this device registers no memory with " + flag);
            }
        }
        if (access.contains(AccessFlag.FLUSH_PERSISTENT) && !pieces.stream().allMatch(MemorySegment::isMapped)) {
            throw new RdmaException(
                    Errno.EINVAL, "FLUSH_PERSISTENT needs memory that lasts: map a file (FileChannel.map)");
        }
    }

    @Override
    public MwOps allocateWindow(WindowType windowType) {
        return new RxeMw(port, port.context().keys().allocateWindow(this, windowType == WindowType.TYPE_2));
    }

    @Override
    public FastMrOps allocateFastRegion(int maxPages) {
        return new RxeFastMr(port, port.context().keys().allocateFast(this));
    }

    @Override
    public FmrOps allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        return new RxeFmr(port, port.context().keys().allocateFmr(this), AccessFlag.mask(access));
    }

    @Override
    public QpOps createQp(QpSetup attributes, QpResources resources, QpEvents events) {
        checkType(attributes.type());
        int inline = attributes.capabilities().maxInlineData();
        if (inline > RxeLimits.MAX_INLINE_DATA) {
            throw new RdmaException(
                    Errno.EINVAL, "max_inline_data " + inline + ": the limit is " + RxeLimits.MAX_INLINE_DATA);
        }
        port.failure().check();
        if (attributes.type().isRaw()) {
            return createRawQp(attributes, resources, events);
        }
        return resources.xrcDomain() instanceof RxeXrcd domain
                ? domain.targets().add(events, all -> createQueuePair(attributes, resources, all))
                : createQueuePair(attributes, resources, events);
    }

    private RxeQp createQueuePair(QpSetup attributes, QpResources resources, QpEvents events) {
        IntFunction<RxeQp> maker = qpn -> new RxeQp(qpn, port, this, attributes, resources, events);
        QpTable table = port.queuePairs();
        return port.netLoop()
                .exclusively(() -> attributes.type() == QpType.GSI ? table.addGsi(maker) : table.add(maker));
    }

    private static void checkType(QpType type) {
        String reason = switch (type) {
            case SMI -> "RoCE has no subnet management";
            case DRIVER -> "the device has no kinds of its own";
            default -> null;
        };
        if (reason != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, "no queue pairs of type " + type + ": " + reason);
        }
    }

    private QpOps createRawQp(QpSetup attributes, QpResources resources, QpEvents events) {
        RawLink link = RawLink.of(port.device(), attributes);
        if (!port.options().rawPackets()) {
            throw new RdmaException(
                    Errno.EPERM,
                    "queue pairs of type " + attributes.type()
                            + " are privileged: open the device with RxeOptions.withRawPackets()");
        }
        IntFunction<RawQp> maker = qpn -> new RawQp(qpn, port, this, link, attributes, resources, events);
        return port.netLoop().exclusively(() -> port.queuePairs().add(maker));
    }

    @Override
    public SrqOps createSrq(SrqSetup attributes, @Nullable XrcdOps xrcDomain, @Nullable CqOps cq, SrqEvents events) {
        RxeXrcd domain = (RxeXrcd) xrcDomain;
        RxeCq xrcCq = (RxeCq) cq;
        return port.netLoop()
                .exclusively(() -> port.sharedReceiveQueues()
                        .add(number -> new RxeSrq(number, port, this, attributes, domain, xrcCq, events)));
    }

    @Override
    public AhOps createAddressHandle(AddressVector vector) {
        return port.netLoop()
                .exclusively(() -> port.addressHandles().add(handle -> new RxeAh(handle, port, this, vector)));
    }

    @Override
    public void close() {
        // Nothing to release.
    }
}
