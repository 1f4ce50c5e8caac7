package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.PdOps;
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
 * A colour: memory and queue pairs of different protection domains do not mix. Answers to {@code struct ibv_pd}.
 *
 * <p>Any thread may call. The caller of {@link Context#allocatePd} closes it, after everything that was made from
 * it.
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
    /** What a list of pages can be as long as in C. */
    private static final int MAX_FMR_PAGES = 1 << 20;

    private static final int MAX_PAGE_SHIFT = 62;

    /** Bytes of a page. */
    private static final int ALLOCATION_ALIGNMENT = 4096;

    private static final Set<AccessFlag> DMA_RIGHTS = EnumSet.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private final Context context;
    private final Lifecycle life;
    private final PdOps ops;

    ProtectionDomain(Context context, int handle, PdOps ops) {
        this.context = context;
        this.life = new Lifecycle(ObjectKind.PROTECTION_DOMAIN + " " + handle, context.life());
        this.ops = ops;
    }

    /** {@return the context it was made from} Answers to {@code context}. */
    public Context context() {
        return context;
    }

    /**
     * Lets the device use memory; its addresses in work requests are those of the memory itself, or count from 0 with
     * {@link AccessFlag#ZERO_BASED}. Answers to {@code ibv_reg_mr}.
     *
     * @param segment stays the program's; close the region before its arena
     * @param access rights that the keys give, beside local reading
     * @return the region; to be closed before the domain and before the memory ends
     * @throws RdmaException EINVAL for heap, confined, closed or empty memory, for write access to read-only memory, for
     *     remote write access without local, for more than {@code max_mr_size}; EOPNOTSUPP for rights that the device cannot
     *     give; ENOMEM at its limit
     */
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        Arguments.present("segment", segment);
        Arguments.present("access", access);
        return registerMemory(MrInitAttributes.of(segment, access));
    }

    /**
     * {@return the same with an address space of its own} Answers to {@code ibv_reg_mr_iova2}.
     *
     * @param segment stays the program's; close the region before its arena
     * @param iova what work requests call the segment's first byte; has the same offset within a page of 4096 bytes
     * @param access rights that the keys give, beside local reading
     * @throws RdmaException as {@link #registerMemory(MemorySegment, Set)}; EINVAL for an iova that does not fit
     */
    public MemoryRegion registerMemory(MemorySegment segment, long iova, Set<AccessFlag> access) {
        Arguments.present("segment", segment);
        Arguments.present("access", access);
        return registerMemory(MrInitAttributes.of(segment, access).withIova(iova));
    }

    /**
     * {@return the same for a buffer, from its position to its limit}
     *
     * @param buffer a direct one, which must not be collected while the region is open: the region holds it
     * @param access rights that the keys give, beside local reading
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
     * {@return the same for memory in several pieces} Answers to {@code ibv_reg_mr_ex} and {@code ib_reg_phys_mr}.
     *
     * @param asked memory, address and rights
     * @throws RdmaException as {@link #registerMemory(MemorySegment, Set)}; EINVAL for pieces that do not meet at page borders,
     *     and for an iova that does not fit
     */
    public MemoryRegion registerMemory(MrInitAttributes asked) {
        Arguments.present("attributes", asked);
        return register(checked(asked), null);
    }

    /**
     * Allocates memory where the device reaches it best, as {@link Context#allocateBuffer} does, filled with zeros, and registers
     * it: {@link MemoryRegion#segment} is the memory. It ends with the region.
     *
     * @param lengthBytes 1 to {@code max_mr_size}; they begin at a page of 4096 bytes
     * @param access rights that the keys give, beside local reading
     * @return the region; to be closed before the domain
     * @throws RdmaException EINVAL for a length or rights that cannot be; otherwise as {@link #registerMemory(MemorySegment, Set)}
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

    /** @param ended what the region has to itself, to be given back when it is closed */
    private MemoryRegion register(MrInitAttributes attributes, @Nullable Runnable ended) {
        return create(
                ObjectKind.MEMORY_REGION,
                DeviceLimit.MAX_MR,
                () -> new MemoryRegion(this, attributes, ended, ops.registerMemory(attributes)));
    }

    /**
     * {@return the same for memory that was mapped for the device, by the device's addresses; it stays mapped as long
     * as the region is there} Answers to {@code ib_reg_phys_mr}.
     *
     * @param buffers each within one mapping of {@link Context#dma}; they meet at page borders
     * @param iova what work requests call the first byte
     * @param access rights that the keys give, beside local reading
     * @throws RdmaException as {@link #registerMemory(MrInitAttributes)}; EINVAL for addresses that are not mapped, and for rights
     *     that go beyond the mapping's direction: a region may always be read locally
     */
    public MemoryRegion registerPhysical(List<PhysicalBuffer> buffers, long iova, Set<AccessFlag> access) {
        life.checkUsable();
        Arguments.allPresent("buffers", buffers);
        Arguments.present("access", access);
        PhysicalMemory memory = context.dma().resolve(buffers, access);
        MrInitAttributes attributes = checked(new MrInitAttributes(memory.pieces(), iova, access));
        return Uses.admit(ObjectKind.MEMORY_REGION, uses -> register(attributes, uses::release), memory.used());
    }

    /** What is asked of the device, once all that can be told without it is right. */
    MrInitAttributes checked(MrInitAttributes asked) {
        life.checkUsable();
        MemoryCheck.registration(asked, context.queryDevice().limit(DeviceLimit.MAX_MR_SIZE));
        return asked.withAccess(understood(asked.access()));
    }

    /** Optional rights are dropped without a word if the device knows nothing of them; the right to flush is none of these. */
    private Set<AccessFlag> understood(Set<AccessFlag> access) {
        if (access.contains(AccessFlag.FLUSH_GLOBAL)) {
            context.admission().require(DeviceCapability.FLUSH_GLOBAL);
        }
        if (access.contains(AccessFlag.FLUSH_PERSISTENT)) {
            context.admission().require(DeviceCapability.FLUSH_PERSISTENT);
        }
        boolean all = context.ops().understandsOptionalAccess();
        return all ? access : access.stream().filter(flag -> !flag.isOptional()).collect(Collectors.toSet());
    }

    /**
     * {@return a region of all memory that is mapped for the device, now and later: its keys are good for the addresses
     * of {@link DmaMapping}s and nothing else} Answers to {@code ib_get_dma_mr}; its L_Key is what takes the place of
     * the reserved one.
     *
     * @param access remote rights; local writes are always allowed
     * @throws RdmaException EINVAL for any other right; EOPNOTSUPP if the device has no such regions; ENOMEM at its limit
     */
    public MemoryRegion dmaRegion(Set<AccessFlag> access) {
        Arguments.present("access", access);
        Set<AccessFlag> rights = EnumSet.of(AccessFlag.LOCAL_WRITE);
        rights.addAll(access);
        checkRights("a DMA region", rights);
        return create(
                ObjectKind.MEMORY_REGION,
                DeviceLimit.MAX_MR,
                () -> new MemoryRegion(this, rights, ops.registerDma(rights)));
    }

    /**
     * Lets queue pairs use a part of the device's own memory; its addresses in work requests begin at 0. Answers to
     * {@code ibv_reg_dm_mr}.
     *
     * @param memory of the same device
     * @param offset of the first byte in {@code memory}
     * @param length bytes, at least 1
     * @param access with {@link AccessFlag#ZERO_BASED}
     * @return the region; to be closed before domain and memory
     * @throws RdmaException EINVAL if the part is empty or not inside, for rights that contradict one another or are not
     *     zero-based, for memory that is closed or of another context; EOPNOTSUPP for rights that the device cannot give;
     *     ENOMEM at its limit
     */
    public MemoryRegion registerDeviceMemory(DeviceMemory memory, long offset, long length, Set<AccessFlag> access) {
        life.checkUsable();
        Arguments.present("memory", memory);
        Arguments.present("access", access);
        context.checkSame(memory.context(), memory);
        memory.checkRange(offset, length);
        Arguments.range("length", length, 1, memory.lengthBytes());
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
     * Makes a queue pair in RESET. Answers to {@code ibv_create_qp}.
     *
     * @param asked what it shall be; what its type does not have is ignored
     * @return the queue pair, with the sizes that it got in {@link QueuePair#initAttributes}; to be closed before what
     *     it was made from
     * @throws RdmaException EINVAL for sizes above the device's limits, objects that are missing, closed, of another context
     *     or not for this type, no such port; EOPNOTSUPP for a type, flag or operation the device has not; EACCES if the host's
     *     {@link PartitionPolicy} denies all its partitions; ENOMEM at the device's limit
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
                                context, attributes.type(), () -> RealQueuePair.create(this, attributes, ops, uses))),
                attributes.used());
        return real.handle();
    }

    /**
     * Makes a shared receive queue. Answers to {@code ibv_create_srq} and {@code ibv_create_srq_ex}.
     *
     * @param attributes what it shall be
     * @return the queue, with the sizes that it got in {@link SharedReceiveQueue#query}; to be closed before what it
     *     was made from
     * @throws RdmaException EINVAL for sizes that are 0 or above the device's limits, a limit above {@code max_wr}, objects
     *     that are closed or of another context; EOPNOTSUPP if the device has none; ENOMEM at its limit
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
     * Makes a receive queue in RESET, for {@linkplain Context#createRwqIndirectionTable indirection tables}. Answers to
     * {@code ibv_create_wq} with {@code IBV_WQT_RQ}.
     *
     * @param cq where its receives complete
     * @param maxWr {@code max_wr}: requests that it holds at least
     * @param maxSge {@code max_sge}: pieces of memory that a request may have at least
     * @return the queue; to be closed before domain and completion queue
     * @throws RdmaException EOPNOTSUPP if the device has none; EINVAL for sizes above the device's limits, no requests, a
     *     completion queue that is closed or of another context; ENOMEM at the device's limit
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
     * Makes a path for datagrams. Answers to {@code ibv_create_ah}.
     *
     * @param vector where it shall lead
     * @return the handle; to be closed before the domain
     * @throws RdmaException EINVAL for no such port, an empty slot of the GID table, or no global route on Ethernet;
     *     EOPNOTSUPP if the device has none; ENOMEM at its limit
     */
    public AddressHandle createAddressHandle(AddressVector vector) {
        Arguments.present("vector", vector);
        PathCheck.check(context, vector);
        context.admission().require(DeviceLimit.MAX_AH);
        return create(ObjectKind.ADDRESS_HANDLE, DeviceLimit.MAX_AH, () -> new AddressHandle(this, vector, ops));
    }

    /**
     * Makes a path back to who sent a datagram. Answers to {@code ibv_create_ah_from_wc}.
     *
     * @param port that it came in at
     * @param completion of its receive
     * @param header the first 40 bytes of the receive buffer
     * @return the handle; to be closed before the domain
     * @throws RdmaException as {@link AddressVector#replyTo} and {@link #createAddressHandle(AddressVector)}
     */
    public AddressHandle createAddressHandle(int port, WorkCompletion completion, MemorySegment header) {
        life.checkUsable();
        Arguments.present("completion", completion);
        Arguments.present("header", header);
        return createAddressHandle(AddressVector.replyTo(context, port, completion, header));
    }

    /**
     * Makes a memory window. Answers to {@code ibv_alloc_mw}.
     *
     * @param type 1, bound by {@link MemoryWindow#bind}, or 2, bound by work requests
     * @return the window, not bound to anything; to be closed before the domain
     * @throws RdmaException EOPNOTSUPP if the device has none of this type; ENOMEM at its limit
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
     * Makes a region to be registered by work request. Answers to {@code ib_alloc_mr}, formerly {@code ib_alloc_fast_reg_mr}.
     *
     * @param maxPages pages of {@link FastMemoryRegion#PAGE_BYTES}
     * @return the region, not registered; to be closed before the domain
     * @throws RdmaException EINVAL if they are not in 1..{@code max_fast_reg_page_list_len}; EOPNOTSUPP if the device has
     *     no such regions; ENOMEM at its limit
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

    /**
     * Makes a region of the older fast kind, to be mapped and unmapped by call. Answers to {@code ib_alloc_fmr}.
     *
     * @param attributes how much it shall show, how often
     * @param access rights that its keys will give: none but local writes and remote ones
     * @return the region, which shows nothing yet; to be closed before the domain
     * @throws RdmaException EINVAL for no pages, for pages of a size that the device does not know, for more maps than
     *     {@code max_map_per_fmr}, for other rights or such that contradict one another; EOPNOTSUPP if the device has none;
     *     ENOMEM at its limit
     */
    public Fmr allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        Arguments.present("attributes", attributes);
        Arguments.present("access", access);
        life.checkUsable();
        context.admission().require(DeviceLimit.MAX_FMR);
        DeviceAttributes device = context.queryDevice();
        Arguments.range("max_pages", attributes.maxPages(), 1, MAX_FMR_PAGES);
        Arguments.range("max_maps", attributes.maxMaps(), 1, device.limit(DeviceLimit.MAX_MAP_PER_FMR));
        Arguments.range("page_shift", attributes.pageShift(), 0, MAX_PAGE_SHIFT);
        if ((device.pageSizeCapability() & attributes.pageBytes()) == 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    String.format(
                            "page_shift %d: the device has no pages of %d bytes, page_size_cap is 0x%x",
                            attributes.pageShift(), attributes.pageBytes(), device.pageSizeCapability()));
        }
        checkRights("an FMR", access);
        MemoryCheck.access(access);
        Set<AccessFlag> rights = Set.copyOf(access);
        return create(
                ObjectKind.FMR,
                DeviceLimit.MAX_FMR,
                () -> new Fmr(this, attributes, rights, ops.allocateFmr(attributes, rights)));
    }

    /**
     * Makes a pool of such regions. Answers to {@code ib_create_fmr_pool}.
     *
     * @param attributes how many regions of what kind
     * @return the pool; to be closed before the domain
     * @throws RdmaException as {@link #allocateFmr}; EINVAL for a pool without regions, or a watermark that is not in 1 to its
     *     size; none is left behind then
     */
    public FmrPool createFmrPool(FmrPoolAttributes attributes) {
        Arguments.present("attributes", attributes);
        return life.admit(ObjectKind.FMR_POOL, () -> new FmrPool(this, attributes));
    }

    private static void checkRights(String owner, Set<AccessFlag> rights) {
        for (AccessFlag flag : rights) {
            if (!DMA_RIGHTS.contains(flag)) {
                throw new RdmaException(Errno.EINVAL, flag + " is no right of " + owner + ", only " + DMA_RIGHTS);
            }
        }
    }

    private <T> T create(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        return life.admit(kind, () -> context.admission().create(kind, limit, maker));
    }

    Lifecycle life() {
        return life;
    }

    PdOps ops() {
        return ops;
    }

    /** An object counted by {@link #create} is gone. */
    void destroyed(ObjectKind kind, Object object) {
        life.release(kind);
        context.admission().destroyed(kind, object);
    }

    /**
     * Frees it. Idempotent. Answers to {@code ibv_dealloc_pd}.
     *
     * @throws RdmaException EBUSY while something made from it is open
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
