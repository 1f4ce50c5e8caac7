// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.core.Uses;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.state.DomainState;
import io.rdma4j.verbs.state.MemoryCheck;
import io.rdma4j.verbs.state.PathCheck;
import io.rdma4j.verbs.state.PhysicalMemory;
import io.rdma4j.verbs.state.RawQuota;
import io.rdma4j.verbs.state.StateAccess;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.values.PhysicalBuffer;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Groups memory regions and queue pairs: a queue pair can access only memory of its own protection domain. Corresponds
 * to {@code struct ibv_pd}.
 *
 * <p>Any thread. The caller of {@link Context#allocatePd} closes it, after all objects that were created from it.
 *
 * {@snippet :
 * try (ProtectionDomain pd = context.allocatePd();
 *         MemoryRegion mr = pd.allocateMemory(4096, Set.of(AccessFlag.LOCAL_WRITE));
 *         QueuePair qp = pd.createQp(
 *                 QpInitAttributes.builder(cq).capabilities(QpCapabilities.of(16, 16)).build())) {
 *     qp.postReceive(ReceiveRequest.of(1, mr.sge(0, 4096)));
 * }
 * }
 */
public final class ProtectionDomain implements AutoCloseable {
    /** The page size in bytes. */
    private static final int ALLOCATION_ALIGNMENT = 4096;

    private final Context context;
    private final Lifecycle life;
    private final PdOps ops;
    private final DomainState state;

    static {
        StateAccess.setDomains(domain -> ((ProtectionDomain) domain).state);
    }

    ProtectionDomain(Context context, int handle, PdOps ops) {
        this.context = context;
        this.life = new Lifecycle(ObjectKind.PROTECTION_DOMAIN + " " + handle, context.life());
        this.ops = ops;
        this.state = new DomainState(context.state(), life, ops);
    }

    /** {@return the context that it was created from} Corresponds to {@code context}. */
    public Context context() {
        return context;
    }

    /**
     * Registers memory for access by the device. Its addresses in work requests are the memory's own addresses, or
     * count from 0 with {@link AccessFlag#ZERO_BASED}. Corresponds to {@code ibv_reg_mr}.
     *
     * @param segment stays the application's; close the region before the segment's arena
     * @param access access rights of the keys; local reads are always allowed
     * @return the region; the caller closes it before the domain and before the memory is freed
     * @throws RdmaException EINVAL for heap, confined, closed or empty memory, for write access to read-only memory,
     *     for remote write access without local write access, for more than {@code max_mr_size} bytes; EOPNOTSUPP for
     *     rights that the device does not support; ENOMEM at the device's limit
     */
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        Arguments.present("segment", segment);
        Arguments.present("access", access);
        return registerMemory(MrInitAttributes.of(segment, access));
    }

    /**
     * {@return a region like that of {@link #registerMemory(MemorySegment, Set)}, whose addresses in work requests
     * begin at {@code iova}} Corresponds to {@code ibv_reg_mr_iova2}.
     *
     * @param segment stays the application's; close the region before the segment's arena
     * @param iova address of the segment's first byte in work requests; must have the same offset within a page of 4096
     *     bytes
     * @param access access rights of the keys; local reads are always allowed
     * @throws RdmaException as {@link #registerMemory(MemorySegment, Set)}; EINVAL for an iova with another offset
     */
    public MemoryRegion registerMemory(MemorySegment segment, long iova, Set<AccessFlag> access) {
        Arguments.present("segment", segment);
        Arguments.present("access", access);
        return registerMemory(MrInitAttributes.of(segment, access).withIova(iova));
    }

    /**
     * {@return a region like that of {@link #registerMemory(MemorySegment, Set)}, for a buffer from its position to its
     * limit}
     *
     * @param buffer a direct buffer; the region keeps it reachable
     * @param access access rights of the keys; local reads are always allowed
     * @throws RdmaException as {@link #registerMemory(MemorySegment, Set)}; EINVAL for a heap buffer
     */
    public MemoryRegion registerMemory(ByteBuffer buffer, Set<AccessFlag> access) {
        Arguments.present("buffer", buffer);
        Arguments.present("access", access);
        if (!buffer.isDirect()) {
            throw new RdmaException(
                    Errno.EINVAL, "a heap buffer cannot be registered: use ByteBuffer.allocateDirect or an Arena");
        }
        return registerMemory(MemorySegment.ofBuffer(buffer), access);
    }

    /**
     * {@return a region like that of {@link #registerMemory(MemorySegment, Set)}, for memory in several segments}
     * Corresponds to {@code ibv_reg_mr_ex} and {@code ib_reg_phys_mr}.
     *
     * @param asked memory, address and rights
     * @throws RdmaException as {@link #registerMemory(MemorySegment, Set)}; EINVAL for segments that do not meet at
     *     page boundaries, and for an iova that has another offset within a page
     */
    public MemoryRegion registerMemory(MrInitAttributes asked) {
        Arguments.present("attributes", asked);
        return register(checked(asked), null);
    }

    /**
     * Allocates zeroed memory as {@link Context#allocateBuffer} does and registers it. {@link MemoryRegion#segment} is
     * the memory. Closing the region frees it.
     *
     * @param lengthBytes 1 to {@code max_mr_size}; the memory begins at a page of 4096 bytes
     * @param access access rights of the keys; local reads are always allowed
     * @return the region; the caller closes it before the domain
     * @throws RdmaException EINVAL for an invalid length or invalid rights; otherwise as
     *     {@link #registerMemory(MemorySegment, Set)}
     */
    public MemoryRegion allocateMemory(long lengthBytes, Set<AccessFlag> access) {
        Arguments.present("access", access);
        life.checkUsable();
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = context.allocateBuffer(lengthBytes, ALLOCATION_ALIGNMENT, arena);
            return register(checked(MrInitAttributes.of(segment, access)), arena::close);
        } catch (RuntimeException | OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    /**
     * @param ended runs when the region is closed
     */
    private MemoryRegion register(MrInitAttributes attributes, @Nullable Runnable ended) {
        return create(
                ObjectKind.MEMORY_REGION,
                DeviceLimit.MAX_MR,
                () -> new MemoryRegion(this, attributes, ended, ops.registerMemory(attributes)));
    }

    /**
     * {@return a region of memory that is mapped for the device, given by device addresses} The memory stays mapped
     * while the region is open. Corresponds to {@code ib_reg_phys_mr}.
     *
     * @param buffers each within one {@link io.rdma4j.verbs.kernel.DmaMapping}; they meet at page boundaries
     * @param iova address of the first byte in work requests
     * @param access access rights of the keys; local reads are always allowed
     * @throws RdmaException as {@link #registerMemory(MrInitAttributes)}; EINVAL for addresses that are not mapped, and
     *     for rights that exceed the mapping's direction, which must allow local reads
     */
    public MemoryRegion registerPhysical(List<PhysicalBuffer> buffers, long iova, Set<AccessFlag> access) {
        life.checkUsable();
        Arguments.allPresent("buffers", buffers);
        Arguments.present("access", access);
        PhysicalMemory memory = context.state().resolve(buffers, access);
        MrInitAttributes attributes = checked(new MrInitAttributes(memory.pieces(), iova, access));
        return Uses.admit(ObjectKind.MEMORY_REGION, uses -> register(attributes, uses::release), memory.used());
    }

    /** Checks a registration as far as possible without the device, and returns the attributes for the driver. */
    MrInitAttributes checked(MrInitAttributes asked) {
        life.checkUsable();
        MemoryCheck.registration(asked, context.queryDevice().limit(DeviceLimit.MAX_MR_SIZE));
        return asked.withAccess(understood(asked.access()));
    }

    /** Removes optional rights if the device does not support them. FLUSH rights are not optional. */
    private Set<AccessFlag> understood(Set<AccessFlag> access) {
        if (access.contains(AccessFlag.FLUSH_GLOBAL)) {
            context.admission().require(DeviceCapability.FLUSH_GLOBAL);
        }
        if (access.contains(AccessFlag.FLUSH_PERSISTENT)) {
            context.admission().require(DeviceCapability.FLUSH_PERSISTENT);
        }
        boolean all = context.understandsOptionalAccess();
        return all ? access : access.stream().filter(flag -> !flag.isOptional()).collect(Collectors.toSet());
    }

    /**
     * {@return a region of all memory that is mapped for the device, now and later} Its keys are valid only for the
     * addresses of {@link io.rdma4j.verbs.kernel.DmaMapping}s. Corresponds to {@code ib_get_dma_mr}; its L_Key replaces
     * the reserved L_Key.
     *
     * @param access remote rights; local writes are always allowed
     * @throws RdmaException EINVAL for any other right; EOPNOTSUPP if the device does not support such regions; ENOMEM
     *     at its limit
     */
    public MemoryRegion dmaRegion(Set<AccessFlag> access) {
        Arguments.present("access", access);
        Set<AccessFlag> rights = EnumSet.of(AccessFlag.LOCAL_WRITE);
        rights.addAll(access);
        MemoryCheck.dmaRights("a DMA region", rights);
        return create(
                ObjectKind.MEMORY_REGION,
                DeviceLimit.MAX_MR,
                () -> new MemoryRegion(this, rights, ops.registerDma(rights)));
    }

    /**
     * Registers a part of the device's own memory. Its addresses in work requests begin at 0. Corresponds to
     * {@code ibv_reg_dm_mr}.
     *
     * @param memory of the same context
     * @param offset of the first byte in {@code memory}
     * @param length bytes; 0 for a region that contains nothing
     * @param access must include {@link AccessFlag#ZERO_BASED}
     * @return the region; the caller closes it before the domain and the memory
     * @throws RdmaException EINVAL if the range exceeds the memory, for contradictory rights or rights
     *     without ZERO_BASED, for memory that is closed or of another context; EOPNOTSUPP for rights that the device
     *     does not support; ENOMEM at its limit
     */
    public MemoryRegion registerDeviceMemory(DeviceMemory memory, long offset, long length, Set<AccessFlag> access) {
        life.checkUsable();
        Arguments.present("memory", memory);
        Arguments.present("access", access);
        context.checkSame(memory.context(), memory);
        memory.checkRange(offset, length);
        MemoryCheck.access(access);
        if (!access.contains(AccessFlag.ZERO_BASED)) {
            throw new RdmaException(Errno.EINVAL, "device memory has no address: register it with ZERO_BASED");
        }
        Set<AccessFlag> rights = understood(access);
        return Uses.admit(
                ObjectKind.MEMORY_REGION,
                uses -> create(
                        ObjectKind.MEMORY_REGION,
                        DeviceLimit.MAX_MR,
                        () -> new MemoryRegion(
                                this,
                                length,
                                rights,
                                uses::release,
                                ops.registerDeviceMemory(memory.ops(), offset, length, rights))),
                memory.life());
    }

    /**
     * Creates a queue pair in state RESET. Corresponds to {@code ibv_create_qp}.
     *
     * @param asked the requested attributes; those that its type does not have are ignored
     * @return the queue pair, with the actual sizes in {@link QueuePair#initAttributes}; the caller closes it before
     *     the objects in the attributes
     * @throws RdmaException EINVAL for sizes above the device's limits, for objects that are missing, closed, of
     *     another context or not allowed for this type, for a port that does not exist; EOPNOTSUPP for a type, flag or
     *     operation that the device does not support; EACCES if the host's {@link PartitionPolicy} denies all its
     *     partitions; ENOMEM at the device's limit
     */
    public QueuePair createQp(QpInitAttributes asked) {
        Arguments.present("attributes", asked);
        QpInitAttributes attributes = QpCreation.check(context, asked);
        RealQueuePair real = Uses.admit(
                ObjectKind.QUEUE_PAIR,
                uses -> create(
                        ObjectKind.QUEUE_PAIR,
                        DeviceLimit.MAX_QP,
                        () -> RawQuota.create(
                                context.state(),
                                attributes.type(),
                                () -> RealQueuePair.create(this, attributes, ops, uses))),
                attributes.used());
        return real.handle();
    }

    /**
     * Creates a shared receive queue. Corresponds to {@code ibv_create_srq} and {@code ibv_create_srq_ex}.
     *
     * @param attributes the requested attributes
     * @return the queue, with the actual sizes in {@link SharedReceiveQueue#query}; the caller closes it before the
     *     objects in the attributes
     * @throws RdmaException EINVAL for sizes that are 0 or above the device's limits, for a limit above {@code max_wr},
     *     for objects that are closed or of another context; EOPNOTSUPP if the device has no shared receive queues;
     *     ENOMEM at its limit
     */
    public SharedReceiveQueue createSrq(SrqInitAttributes attributes) {
        Arguments.present("attributes", attributes);
        life.checkUsable();
        context.admission().require(DeviceLimit.MAX_SRQ);
        DeviceAttributes device = context.queryDevice();
        SrqAttributes sizes = attributes.attributes();
        Arguments.range("max_wr", sizes.maxWr(), 1, device.limit(DeviceLimit.MAX_SRQ_WR));
        Arguments.atMost("max_sge", sizes.maxSge(), device.limit(DeviceLimit.MAX_SRQ_SGE));
        Arguments.atMost("srq_limit", sizes.limit(), sizes.maxWr());
        XrcDomain domain = attributes.xrcDomain();
        CompletionQueue cq = attributes.cq();
        if (domain != null && cq != null) {
            context.checkSame(domain.context(), domain);
            context.checkSame(cq.context(), cq);
        }
        return Uses.admit(
                ObjectKind.SHARED_RECEIVE_QUEUE,
                uses -> create(
                        ObjectKind.SHARED_RECEIVE_QUEUE,
                        DeviceLimit.MAX_SRQ,
                        () -> new SharedReceiveQueue(this, context.nextHandle(), attributes, ops, uses)),
                domain == null ? null : domain.life(),
                cq == null ? null : cq.life());
    }

    /**
     * Creates a receive work queue in state RESET, for {@linkplain Context#createRwqIndirectionTable indirection
     * tables}. Corresponds to {@code ibv_create_wq} with {@code IBV_WQT_RQ}.
     *
     * @param cq completion queue of its receives
     * @param maxWr {@code max_wr}: minimum capacity in requests
     * @param maxSge {@code max_sge}: minimum capacity of a request in scatter/gather elements
     * @return the queue; the caller closes it before the domain and the completion queue
     * @throws RdmaException EOPNOTSUPP if the device has no work queues; EINVAL for sizes above the device's limits,
     *     for a {@code maxWr} of 0, for a completion queue that is closed or of another context; ENOMEM at the device's
     *     limit
     */
    public WorkQueue createWorkQueue(CompletionQueue cq, int maxWr, int maxSge) {
        life.checkUsable();
        Arguments.present("cq", cq);
        context.admission().require(DeviceLimit.MAX_WQ_TYPE_RQ);
        DeviceAttributes device = context.queryDevice();
        Arguments.range("max_wr", maxWr, 1, device.limit(DeviceLimit.MAX_QP_WR));
        Arguments.atMost("max_sge", maxSge, device.limit(DeviceLimit.MAX_SGE));
        context.checkSame(cq.context(), cq);
        Supplier<WorkQueue> maker =
                () -> new WorkQueue(this, context.nextHandle(), cq, ops.createWorkQueue(cq.ops(), maxWr, maxSge));
        return cq.life()
                .admit(ObjectKind.WORK_QUEUE, () -> create(ObjectKind.WORK_QUEUE, DeviceLimit.MAX_WQ_TYPE_RQ, maker));
    }

    /**
     * Creates an address handle: a path for datagrams. Corresponds to {@code ibv_create_ah}.
     *
     * @param vector the path
     * @return the handle; the caller closes it before the domain
     * @throws RdmaException EINVAL if the port does not exist, if the slot of the GID table is empty, or if a path over
     *     Ethernet has no global route; EOPNOTSUPP if the device has no address handles; ENOMEM at its limit
     */
    public AddressHandle createAddressHandle(AddressVector vector) {
        Arguments.present("vector", vector);
        PathCheck.check(context.ports(), vector);
        context.admission().require(DeviceLimit.MAX_AH);
        return create(ObjectKind.ADDRESS_HANDLE, DeviceLimit.MAX_AH, () -> new AddressHandle(this, vector, ops));
    }

    /**
     * Creates an address handle for the path back to the sender of a datagram. Corresponds to
     * {@code ibv_create_ah_from_wc}.
     *
     * @param port the port at which the datagram arrived
     * @param completion of its receive
     * @param header the first 40 bytes of the receive buffer
     * @return the handle; the caller closes it before the domain
     * @throws RdmaException as {@link Context#replyPath} and {@link #createAddressHandle(AddressVector)}
     */
    public AddressHandle createAddressHandle(int port, WorkCompletion completion, MemorySegment header) {
        life.checkUsable();
        Arguments.present("completion", completion);
        Arguments.present("header", header);
        return createAddressHandle(context.replyPath(port, completion, header));
    }

    /**
     * Allocates a memory window. Corresponds to {@code ibv_alloc_mw}.
     *
     * @param type type 1, which {@link MemoryWindow#bind} binds, or type 2, which work requests bind
     * @return the unbound window; the caller closes it before the domain
     * @throws RdmaException EOPNOTSUPP if the device has no windows of this type; ENOMEM at its limit
     */
    public MemoryWindow allocateWindow(WindowType type) {
        Arguments.present("type", type);
        life.checkUsable();
        context.admission().require(DeviceLimit.MAX_MW);
        if (type == WindowType.TYPE_1) {
            context.admission().require(DeviceCapability.MEM_WINDOW);
        } else {
            context.admission().require(DeviceCapability.MEM_WINDOW_TYPE_2A, DeviceCapability.MEM_WINDOW_TYPE_2B);
        }
        return create(
                ObjectKind.MEMORY_WINDOW,
                DeviceLimit.MAX_MW,
                () -> new MemoryWindow(this, type, ops.allocateWindow(type)));
    }

    /**
     * Allocates a region that a work request registers. Corresponds to {@code ib_alloc_mr}, formerly
     * {@code ib_alloc_fast_reg_mr}.
     *
     * @param maxPages capacity in pages of {@link FastMemoryRegion#PAGE_BYTES}
     * @return the region, not registered; the caller closes it before the domain
     * @throws RdmaException EINVAL unless {@code maxPages} is in 1..{@code max_fast_reg_page_list_len}; EOPNOTSUPP if
     *     the device has no such regions; ENOMEM at its limit
     */
    public FastMemoryRegion allocateFastRegion(int maxPages) {
        life.checkUsable();
        context.admission().require(DeviceCapability.MEM_MGT_EXTENSIONS);
        Arguments.range("max_num_sg", maxPages, 1, context.queryDevice().limit(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN));
        return create(
                ObjectKind.FAST_MEMORY_REGION,
                DeviceLimit.MAX_MR,
                () -> new FastMemoryRegion(this, maxPages, ops.allocateFastRegion(maxPages)));
    }

    private <T> T create(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        return state.create(kind, limit, maker);
    }

    Lifecycle life() {
        return life;
    }

    PdOps ops() {
        return ops;
    }

    /** Removes an object from the counts that {@link #create} has incremented. */
    void destroyed(ObjectKind kind, Object object) {
        state.destroyed(kind, object);
    }

    /**
     * Frees the domain. Idempotent. Corresponds to {@code ibv_dealloc_pd}.
     *
     * @throws RdmaException EBUSY while an object created from it is open
     */
    @Override
    public void close() {
        if (life.close()) {
            ops.close();
            context.admission().destroyed(ObjectKind.PROTECTION_DOMAIN, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
