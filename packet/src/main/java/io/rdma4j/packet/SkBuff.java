package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One packet, or one train of packets, on its way through the house ({@code struct sk_buff}).
 *
 * <p>A descriptor over a data block: a linear part with headroom and tailroom (see the drawing of the package), and
 * fragments that point into memory of others. All positions are offsets in bytes from the start of {@link #memory()}.
 * {@code len} counts the linear part and the fragments.
 *
 * <p>Ownership: whoever holds a reference ({@link #get}) frees it once ({@link #free}); the last one returns the buffer
 * to its {@link SkBuffPool}. The memory behind a fragment must stay alive until then; its owner learns of it by the
 * {@link #destructor(Destructor) destructor}. A buffer is used by one thread at a time; handing it over needs a
 * release/acquire pair, as queues between threads have. No method allocates.
 *
 * <p>An operation that would leave the block throws and changes nothing: that is a mistake in this library, never the
 * effect of bytes received. Use after free is caught by assertions, a second {@link #free} always; a pool that keeps sites in
 * mind says where the buffer was freed.
 */
public final class SkBuff extends PacketFields {
    /** What a descriptor is charged with, about its size on the heap. */
    static final int DESCRIPTOR_BYTES = 192;

    /** Size of the control buffer in bytes. */
    public static final int CB_BYTES = 48;

    private static final VarHandle USERS;

    static {
        try {
            USERS = MethodHandles.lookup().findVarHandle(SkBuff.class, "users", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Told when a buffer is freed or orphaned ({@code skb->destructor}). */
    @FunctionalInterface
    public interface Destructor {
        /**
         * Runs on the freeing thread, which may be any; {@code skb} is still readable, but must not be kept.
         *
         * @param skb the buffer that is freed
         */
        void destroy(SkBuff skb);
    }

    private final SkBuffPool pool;
    private final FreeList freeList;
    private final MemorySegment cb;
    private final @Nullable SharedInfo ownBlock;

    /** Chains the buffer in a queue or, when free, in the pool. */
    @Nullable
    SkBuff next;

    private boolean queued;

    @SuppressWarnings("unused") // through USERS
    private volatile int users;

    private boolean nohdr;
    private boolean pfmemalloc;
    private @Nullable Destructor destructor;
    private @Nullable DstEntry dst;
    private boolean dstCounted;

    /** Where it was allocated or, once free, freed; null unless the pool keeps that in mind. */
    private @Nullable BufferSite site;

    /**
     * @param freeList where it returns to
     * @param block the data block that goes with this descriptor, null for a clone's descriptor
     */
    SkBuff(SkBuffPool pool, FreeList freeList, MemorySegment cb, @Nullable MemorySegment block) {
        this.pool = pool;
        this.freeList = freeList;
        this.cb = cb;
        this.ownBlock = block == null ? null : new SharedInfo(this, block);
        share(ownBlock);
    }

    boolean isCloneDescriptor() {
        return ownBlock == null;
    }

    /**
     * Makes a buffer fresh from the pool an empty one with one reference. The control buffer keeps old bytes.
     *
     * @param fromReserve true if the pool had to take it from its reserve
     */
    void initialize(boolean fromReserve) {
        shinfo().initialize();
        USERS.set(this, 1);
        clearShared();
        nohdr = false;
        pfmemalloc = fromReserve;
        clearPositions();
        clearFields();
    }

    @Override
    boolean isLive() {
        return (int) USERS.getAcquire(this) > 0;
    }

    @Override
    Object usedAfterFree() {
        BufferSite freed = site;
        return freed == null ? "use after free" : freed;
    }

    /** Keeps in mind where it was allocated, and will where it is freed. */
    void rememberSite() {
        site = new BufferSite("allocated");
    }

    /** One line for people: whose a buffer is that is not free. */
    String describeHolder() {
        BufferSite allocated = site;
        return (isCloneDescriptor() ? "clone" : "buffer") + " of " + len() + " bytes, " + users() + " holders, owner "
                + owner() + ", device " + device() + (allocated == null ? "" : ", " + allocated.line());
    }

    // Where it goes

    /** {@return where routing sends it; null before ({@code skb_dst})} */
    public @Nullable DstEntry dst() {
        return dst;
    }

    /**
     * Attaches a route and takes over the caller's reference to it ({@code skb_dst_set}); one that was there is dropped.
     *
     * @param route null for none
     */
    public void dst(@Nullable DstEntry route) {
        attach(route, route != null);
    }

    /**
     * Attaches a route without a reference ({@code skb_dst_set_noref}): for as long as the caller knows the route to stay.
     *
     * @param route stays the caller's
     */
    public void dstNoref(DstEntry route) {
        attach(route, false);
    }

    private void attach(@Nullable DstEntry route, boolean counted) {
        assert isLive() : usedAfterFree();
        dropDst();
        dst = route;
        dstCounted = counted;
    }

    /** Detaches the route and gives the reference back, if one was taken ({@code skb_dst_drop}). */
    public void dropDst() {
        DstEntry route = dst;
        dst = null;
        if (route != null && dstCounted) {
            route.release();
        }
    }

    /**
     * {@return 48 bytes off-heap, private to the layer that holds the buffer; content undefined when a layer gets it}
     */
    public MemorySegment cb() {
        assert isLive() : usedAfterFree();
        return cb;
    }

    // Life

    /**
     * Calls {@code value} when the buffer is freed; there is one destructor at most.
     *
     * @param value null for none
     */
    public void destructor(@Nullable Destructor value) {
        assert isLive() : usedAfterFree();
        destructor = value;
    }

    /** Runs the destructor now, if any, and forgets it and the owner ({@code skb_orphan}). */
    public void orphan() {
        Destructor last = destructor;
        if (last != null) {
            destructor = null;
            last.destroy(this);
        }
        owner(null);
    }

    /** {@return how many hold the buffer; 0 once it is free} */
    public int users() {
        return (int) USERS.getAcquire(this);
    }

    /** {@return true if not exactly one holds it ({@code skb_shared})} */
    public boolean isShared() {
        return users() != 1;
    }

    /**
     * Takes one more reference ({@code skb_get}).
     *
     * @return this
     * @throws IllegalStateException if the buffer is free
     */
    public SkBuff get() {
        if (users() <= 0) {
            throw new IllegalStateException("get of a free buffer");
        }
        USERS.getAndAdd(this, 1);
        return this;
    }

    /**
     * {@return true if its memory, or its descriptor, is to go back to {@code candidate}}
     *
     * @param candidate any pool
     */
    public boolean isOf(SkBuffPool candidate) {
        return pool.equals(candidate);
    }

    /**
     * Makes a second descriptor over the same data block ({@code skb_clone}); by the owner of the pool. Positions,
     * metadata and control buffer are copied; the clone has one reference, no destructor, and is in no queue.
     *
     * @return null if the pool has no descriptor left
     */
    public @Nullable SkBuff cloneDescriptor() {
        assert isLive() : usedAfterFree();
        SkBuff clone = pool.takeClone();
        if (clone == null) {
            return null;
        }
        SharedInfo info = shinfo();
        info.addReference();
        clone.share(info);
        markCloned();
        clone.copyHeader(this);
        USERS.setRelease(clone, 1);
        return clone;
    }

    private void copyHeader(SkBuff from) {
        copyShared(from);
        nohdr = false;
        pfmemalloc = from.pfmemalloc;
        copyPositions(from);
        copyFields(from);
        MemorySegment.copy(from.cb, 0, cb, 0, CB_BYTES);
        copyDst(from);
    }

    private void copyDst(SkBuff from) {
        DstEntry route = from.dst;
        if (route != null && from.dstCounted) {
            route.hold();
        }
        dst = route;
        dstCounted = from.dstCounted;
    }

    /**
     * Makes a packet of its own with the same bytes, all of them linear ({@code skb_copy}); by the owner of the pool. Headroom,
     * header positions, metadata and control buffer are copied; the copy is no train.
     *
     * @return null if the pool has no buffer left, or its buffers are too small
     */
    public @Nullable SkBuff copy() {
        assert isLive() : usedAfterFree();
        if (len() > end() - data()) {
            return null;
        }
        SkBuff copy = pool.allocate();
        if (copy != null) {
            copy.reserve(data());
            copy.put(len());
            copyBits(0, copy.memory(), data(), len());
            MemorySegment.copy(memory(), 0, copy.memory(), 0, data());
            copy.copyHeaderPlaces(this);
            copy.copyFields(this);
            copy.copyDst(this);
            MemorySegment.copy(cb, 0, copy.cb, 0, CB_BYTES);
        }
        return copy;
    }

    /**
     * Lets go of the application's memory ({@code skb_orphan_frags}), before the packet goes where it may stay for any time: the
     * fragments of a packet with {@link TxFlag#DEV_ZEROCOPY} are copied, and the destructor runs. Any other stays as it is.
     *
     * @return false if the block lacks the room, a clone shares it, or the memory is gone: the caller drops the packet
     */
    public boolean orphanFrags() {
        if (!hasTxFlag(TxFlag.DEV_ZEROCOPY)) {
            return true;
        }
        try {
            if (!linearize()) {
                return false;
            }
        } catch (IllegalStateException closed) {
            return false;
        }
        txFlag(TxFlag.DEV_ZEROCOPY, false);
        orphan();
        return true;
    }

    /**
     * Makes sure that the caller alone holds what it goes on with ({@code skb_share_check}): this buffer, if nobody else holds it;
     * otherwise a clone, for which the caller's reference to this one is given back.
     *
     * @return null if there is no descriptor for a clone: the caller's reference is gone all the same
     */
    public @Nullable SkBuff shareCheck() {
        if (!isShared()) {
            return this;
        }
        SkBuff clone = cloneDescriptor();
        free();
        return clone;
    }

    /**
     * Gives up the headers ({@code skb_header_release}): the holder only needs the payload, so that another one may change the
     * headers in place although the block is shared.
     *
     * @throws IllegalStateException if it has done so already
     */
    public void releaseHeaders() {
        assert isLive() : usedAfterFree();
        if (nohdr) {
            throw new IllegalStateException("the headers were released already");
        }
        nohdr = true;
        shinfo().releaseHeaders();
    }

    @Override
    public boolean isPayloadOnly() {
        return nohdr;
    }

    /** {@return true if a clone shares the headers, which must not be written then ({@code skb_header_cloned})} */
    public boolean isHeaderCloned() {
        return isMarkedCloned() && shinfo().headerReferences() != 1;
    }

    /** {@return true if it came from the pool's reserve: it is to be freed soon ({@code skb_pfmemalloc})} */
    public boolean isFromReserve() {
        return pfmemalloc;
    }

    /**
     * {@return bytes of memory that the packet is charged for: descriptor, control buffer and block, and those of the
     * buffers in its list ({@code truesize})}
     */
    public int truesize() {
        return DESCRIPTOR_BYTES + CB_BYTES + end() + shinfo().fragListTruesize;
    }

    /**
     * Gives one reference back ({@code kfree_skb}, {@code consume_skb}: whoever drops a packet counts it); the last one runs the destructor and returns the buffer to its pool.
     * From any thread.
     *
     * @throws IllegalStateException if the buffer is free already, or in a queue
     */
    public void free() {
        int holders = users();
        while (holders > 1) {
            if (USERS.compareAndSet(this, holders, holders - 1)) {
                return;
            }
            holders = users();
        }
        if (holders <= 0) {
            throw new IllegalStateException("double free", site);
        }
        if (queued) {
            throw new IllegalStateException("free of a buffer that is in a queue");
        }
        // The only holder: nobody else may count up or down from here.
        orphan();
        dropDst();
        device(null);
        resetFlow();
        securityPath(null);
        if (site != null) {
            site = new BufferSite("freed");
        }
        USERS.set(this, 0);
        releaseData();
    }

    /**
     * Lets go of the block. The pair of block and home descriptor returns to the pool with the last reference to the
     * block, which may be a clone's; nothing of this descriptor may be touched once its reference is dropped.
     */
    private void releaseData() {
        SharedInfo info = shinfo();
        boolean isClone = isCloneDescriptor();
        if (isClone) {
            share(null);
        }
        if (info.dropReference(nohdr)) {
            info.clear();
            info.home.giveBack();
        }
        if (isClone) {
            giveBack();
        }
    }

    private void giveBack() {
        freeList.give(this);
    }

    void enterQueue() {
        assert isLive() : usedAfterFree();
        if (queued) {
            throw new IllegalStateException("the buffer is in a queue already");
        }
        queued = true;
    }

    void leaveQueue() {
        queued = false;
        next = null;
    }
}
