package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Holds one packet, or one train of packets ({@code struct sk_buff}).
 *
 * <p>A buffer is a descriptor of a data block. The block has a linear part with headroom and tailroom (see the drawing
 * of the package). Fragments point into memory outside the block. All positions are offsets in bytes from the start of
 * {@link #memory()}. {@code len} counts the linear part and the fragments.
 *
 * <p>Ownership: each holder of a reference ({@link #get}) frees it once ({@link #free}). The last {@code free} returns
 * the buffer to its {@link SkBuffPool}. The memory behind a fragment must stay valid until then; the
 * {@link #destructor(Destructor) destructor} notifies its owner. A buffer is used by one thread at a time. Passing it
 * to another thread needs a release/acquire pair, as in a queue between threads. No method allocates.
 *
 * <p>An operation that would leave the block throws and changes nothing. Such a call is a bug in this library; received
 * bytes never cause it. Assertions detect use after free. A second {@link #free} is always detected. A pool that
 * records sites also reports where the buffer was freed.
 */
public final class SkBuff extends PacketFields {
    /** Bytes that {@link #truesize} counts for the descriptor: about its size on the heap. */
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

    /** Called when a buffer is freed or orphaned ({@code skb->destructor}). */
    @FunctionalInterface
    public interface Destructor {
        /**
         * Runs on the thread that frees the buffer, which may be any thread. {@code skb} is still readable, but the
         * destructor must not keep it.
         *
         * @param skb the buffer that is freed
         */
        void destroy(SkBuff skb);
    }

    private final SkBuffPool pool;
    private final FreeList freeList;
    private final MemorySegment cb;
    private final @Nullable SharedInfo ownBlock;

    /** The next buffer in the queue; for a free buffer, the next one in the pool's free list. */
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

    /**
     * The site of the allocation or, once the buffer is free, of the {@code free}; null unless the pool records sites.
     */
    private @Nullable BufferSite site;

    /**
     * @param freeList the list that the descriptor returns to
     * @param block the data block of this descriptor, null for a descriptor of clones
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
     * Initializes a buffer from the free list: empty, with one reference. The control buffer keeps its old bytes.
     *
     * @param fromReserve true if the pool took it from its reserve
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

    /** Records the site of the allocation; {@link #free} then records its own site. */
    void rememberSite() {
        site = new BufferSite("allocated");
    }

    /** Returns one line of text about a buffer in use: size, references, owner, device and site of the allocation. */
    String describeHolder() {
        BufferSite allocated = site;
        return (isCloneDescriptor() ? "clone" : "buffer") + " of " + len() + " bytes, " + users() + " holders, owner "
                + owner() + ", device " + device() + (allocated == null ? "" : ", " + allocated.line());
    }

    // Route

    /** {@return the route of the packet; null before the route lookup ({@code skb_dst})} */
    public @Nullable DstEntry dst() {
        return dst;
    }

    /**
     * Attaches a route and takes over the caller's reference to it ({@code skb_dst_set}). A route that was attached
     * before is detached.
     *
     * @param route null for none
     */
    public void dst(@Nullable DstEntry route) {
        attach(route, route != null);
    }

    /**
     * Attaches a route without a reference ({@code skb_dst_set_noref}). The caller guarantees that the route stays
     * valid.
     *
     * @param route remains the caller's
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

    /** Detaches the route and releases the reference, if one was taken ({@code skb_dst_drop}). */
    public void dropDst() {
        DstEntry route = dst;
        dst = null;
        if (route != null && dstCounted) {
            route.release();
        }
    }

    /**
     * {@return 48 bytes of native memory, private to the layer that holds the buffer; undefined when a layer receives
     * the buffer}
     */
    public MemorySegment cb() {
        assert isLive() : usedAfterFree();
        return cb;
    }

    // Lifetime

    /**
     * Sets the destructor, which runs when the buffer is freed. It replaces an earlier one.
     *
     * @param value null for none
     */
    public void destructor(@Nullable Destructor value) {
        assert isLive() : usedAfterFree();
        destructor = value;
    }

    /** Runs the destructor now, if there is one, and clears it and the owner ({@code skb_orphan}). */
    public void orphan() {
        Destructor last = destructor;
        if (last != null) {
            destructor = null;
            last.destroy(this);
        }
        owner(null);
    }

    /** {@return the number of references; 0 once the buffer is free} */
    public int users() {
        return (int) USERS.getAcquire(this);
    }

    /** {@return true if the number of references is not exactly 1 ({@code skb_shared})} */
    public boolean isShared() {
        return users() != 1;
    }

    /**
     * Takes a reference ({@code skb_get}).
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
     * {@return true if the memory or the descriptor belongs to {@code candidate}}
     *
     * @param candidate any pool
     */
    public boolean isOf(SkBuffPool candidate) {
        return pool.equals(candidate);
    }

    /**
     * Makes a second descriptor of the same data block ({@code skb_clone}). Only the owner of the pool may call it.
     * Positions, metadata and control buffer are copied. The clone has one reference, no destructor, and is in no
     * queue.
     *
     * @return null if the pool has no free descriptor
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
     * Copies the packet into a new buffer with all bytes in the linear part ({@code skb_copy}). Only the owner of the
     * pool may call it. Headroom, header positions, metadata and control buffer are copied; the copy is not a train.
     *
     * @return null if the pool has no free buffer, or if its blocks are too small
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
     * Copies the fragments of a packet with {@link TxFlag#DEV_ZEROCOPY} and runs the destructor
     * ({@code skb_orphan_frags}). A layer calls it before it keeps a packet for an unlimited time. A packet without the
     * flag is not changed.
     *
     * @return false if the block is too small, a clone shares it, or the memory is closed: the caller drops the packet
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
     * Gives the caller a buffer that no other reference shares ({@code skb_share_check}). That is this buffer if the
     * caller holds the only reference. Otherwise it is a clone, and the caller's reference to this buffer is released.
     *
     * @return null if the pool has no descriptor for a clone; the caller's reference is released in this case too
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
     * Releases the headers ({@code skb_header_release}): the holder of this descriptor needs only the payload. The
     * holder of another descriptor may then change the headers in place although the block is shared.
     *
     * @throws IllegalStateException if the headers were released before
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

    /** {@return true if it came from the pool's reserve: the holder should free it soon ({@code skb_pfmemalloc})} */
    public boolean isFromReserve() {
        return pfmemalloc;
    }

    /**
     * {@return the memory that the packet is charged for, bytes: descriptor, control buffer, block, and the buffers in
     * its list ({@code truesize})}
     */
    public int truesize() {
        return DESCRIPTOR_BYTES + CB_BYTES + end() + shinfo().fragListTruesize;
    }

    /**
     * Releases one reference; any thread may call it. The last call runs the destructor and returns the buffer to its
     * pool. {@code kfree_skb} and {@code consume_skb} do not differ here: a caller that drops a packet counts the drop
     * itself.
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
        // This thread holds the only reference, so no other thread changes the count from here on.
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
     * Releases the block. The block and its home descriptor return to the pool with the last reference to the block,
     * which may be a clone's. This method must not touch the descriptor after its reference is released.
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
