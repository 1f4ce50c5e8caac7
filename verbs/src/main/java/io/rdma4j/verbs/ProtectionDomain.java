package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.PdOps;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A colour: memory and queue pairs of different protection domains do not mix. Answers to {@code struct ibv_pd}.
 *
 * <p>Any thread may call. The caller of {@link Context#allocatePd} closes it, after its regions and queue pairs.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final Context context;
    private final Lifecycle life;
    private final PdOps ops;

    ProtectionDomain(Context context, int handle, PdOps ops) {
        this.context = context;
        this.life = new Lifecycle(ObjectKind.PROTECTION_DOMAIN + " " + handle);
        this.ops = ops;
    }

    /** The context it was made from. */
    public Context context() {
        return context;
    }

    /**
     * Lets the device use memory; its addresses in work requests are those of the memory itself, or count from 0 with
     * {@link AccessFlag#ZERO_BASED}. Answers to {@code ibv_reg_mr}.
     *
     * @param segment stays the program's; close the region before its arena
     * @throws RdmaException EINVAL for heap, confined, closed or empty memory, for write access to read-only memory, for
     *     remote write access without local, for more than {@code max_mr_size}; ENOMEM at the device's limit
     */
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        MemoryCheck.segment(segment, context.queryDevice().limit(DeviceLimit.MAX_MR_SIZE));
        return register(segment, access.contains(AccessFlag.ZERO_BASED) ? 0 : segment.address(), access);
    }

    /**
     * The same with an address space of its own. Answers to {@code ibv_reg_mr_iova2}.
     *
     * @param iova what work requests call the segment's first byte; has the same offset within a page of 4096 bytes
     * @throws RdmaException as {@link #registerMemory(MemorySegment, Set)}; EINVAL for an iova that does not fit
     */
    public MemoryRegion registerMemory(MemorySegment segment, long iova, Set<AccessFlag> access) {
        MemoryCheck.segment(segment, context.queryDevice().limit(DeviceLimit.MAX_MR_SIZE));
        MemoryCheck.iova(segment, iova);
        return register(segment, iova, access);
    }

    /**
     * The same for a buffer, from its position to its limit.
     *
     * @throws RdmaException as {@link #registerMemory(MemorySegment, Set)}; EINVAL for a heap buffer
     */
    public MemoryRegion registerMemory(ByteBuffer buffer, Set<AccessFlag> access) {
        if (!buffer.isDirect()) {
            throw new RdmaException(
                    Errno.EINVAL, "a heap buffer cannot be registered: use ByteBuffer.allocateDirect or an Arena");
        }
        return registerMemory(MemorySegment.ofBuffer(buffer), access);
    }

    private MemoryRegion register(MemorySegment segment, long iova, Set<AccessFlag> access) {
        MemoryCheck.access(segment, access);
        return create(
                ObjectKind.MEMORY_REGION,
                DeviceLimit.MAX_MR,
                () -> new MemoryRegion(this, segment, iova, access, ops.registerMemory(segment, iova, access)));
    }

    /**
     * Makes a queue pair in RESET. Answers to {@code ibv_create_qp}.
     *
     * @throws RdmaException EINVAL for sizes above the device's limits, a queue of another context or a closed one;
     *     EOPNOTSUPP for a type the device has not; ENOMEM at the device's limit
     */
    public QueuePair createQp(QpInitAttributes attributes) {
        CompletionQueue sendCq = attributes.sendCq();
        CompletionQueue receiveCq = attributes.receiveCq();
        context.checkSame(sendCq.context(), sendCq);
        context.checkSame(receiveCq.context(), receiveCq);
        checkSizes(attributes.capabilities(), context.queryDevice());
        sendCq.life().acquire(ObjectKind.QUEUE_PAIR);
        try {
            receiveCq.life().acquire(ObjectKind.QUEUE_PAIR);
            try {
                return create(ObjectKind.QUEUE_PAIR, DeviceLimit.MAX_QP, () -> new QueuePair(this, attributes, ops));
            } catch (RuntimeException e) {
                receiveCq.life().release(ObjectKind.QUEUE_PAIR);
                throw e;
            }
        } catch (RuntimeException e) {
            sendCq.life().release(ObjectKind.QUEUE_PAIR);
            throw e;
        }
    }

    private static void checkSizes(QpCapabilities asked, DeviceAttributes device) {
        Arguments.atMost("max_send_wr", asked.maxSendWr(), device.limit(DeviceLimit.MAX_QP_WR));
        Arguments.atMost("max_recv_wr", asked.maxReceiveWr(), device.limit(DeviceLimit.MAX_QP_WR));
        Arguments.atMost("max_send_sge", asked.maxSendSge(), device.limit(DeviceLimit.MAX_SGE));
        Arguments.atMost("max_recv_sge", asked.maxReceiveSge(), device.limit(DeviceLimit.MAX_SGE));
    }

    /**
     * Makes a path for datagrams. Answers to {@code ibv_create_ah}.
     *
     * @throws RdmaException EINVAL for no such port, an empty slot of the GID table, or no global route on Ethernet;
     *     EOPNOTSUPP if the device has none; ENOMEM at its limit
     */
    public AddressHandle createAddressHandle(AddressVector vector) {
        PathCheck.check(context, vector);
        context.require(DeviceLimit.MAX_AH);
        return create(ObjectKind.ADDRESS_HANDLE, DeviceLimit.MAX_AH, () -> new AddressHandle(this, vector, ops));
    }

    /**
     * Makes a memory window. Answers to {@code ibv_alloc_mw}.
     *
     * @throws RdmaException EOPNOTSUPP if the device has none of this type; ENOMEM at its limit
     */
    public MemoryWindow allocateWindow(WindowType type) {
        context.require(DeviceLimit.MAX_MW);
        if (type == WindowType.TYPE_1) {
            context.require(DeviceCapability.MEM_WINDOW);
        } else {
            context.require(DeviceCapability.MEM_WINDOW_TYPE_2A, DeviceCapability.MEM_WINDOW_TYPE_2B);
        }
        return create(
                ObjectKind.MEMORY_WINDOW,
                DeviceLimit.MAX_MW,
                () -> new MemoryWindow(this, type, ops.allocateWindow(type)));
    }

    /**
     * Makes a region to be registered by work request. Answers to {@code ib_alloc_mr}.
     *
     * @param maxPages pages of {@link FastMemoryRegion#PAGE_BYTES}
     * @throws RdmaException EINVAL if they are not in 1..{@code max_fast_reg_page_list_len}; EOPNOTSUPP if the device has
     *     no such regions; ENOMEM at its limit
     */
    public FastMemoryRegion allocateFastRegion(int maxPages) {
        context.require(DeviceCapability.MEM_MGT_EXTENSIONS);
        Arguments.range("max_num_sg", maxPages, 1, context.queryDevice().limit(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN));
        return create(
                ObjectKind.FAST_MEMORY_REGION,
                DeviceLimit.MAX_MR,
                () -> new FastMemoryRegion(this, maxPages, ops.allocateFastRegion(maxPages)));
    }

    private <T> T create(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        life.acquire(kind);
        try {
            return context.create(kind, limit, maker);
        } catch (RuntimeException e) {
            life.release(kind);
            throw e;
        }
    }

    /** An object counted by {@link #create} is gone. */
    void destroyed(ObjectKind kind) {
        life.release(kind);
        context.destroyed(kind);
    }

    /**
     * Frees it. Idempotent. Answers to {@code ibv_dealloc_pd}.
     *
     * @throws RdmaException EBUSY while a region or queue pair belongs to it
     */
    @Override
    public void close() {
        if (life.close()) {
            ops.close();
            context.destroyed(ObjectKind.PROTECTION_DOMAIN);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
