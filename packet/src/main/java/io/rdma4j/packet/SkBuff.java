package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
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
 * effect of bytes received. Use after free is caught by assertions, a second {@link #free} always.
 */
public final class SkBuff extends LinearPart {
    /** The most fragments a buffer has ({@code MAX_SKB_FRAGS}). */
    public static final int MAX_FRAGS = 32;

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
        /** Runs on the freeing thread, which may be any; {@code skb} is still readable, but must not be kept. */
        void destroy(SkBuff skb);
    }

    private final SkBuffPool pool;
    private final MemorySegment cb;
    private final @Nullable SharedInfo ownBlock;

    /** Chains the buffer in a queue or, when free, in the pool. */
    @Nullable
    SkBuff next;

    private boolean queued;

    @SuppressWarnings("unused") // through USERS
    private volatile int users;

    /** Null in a clone's descriptor that is not in use, and only there. */
    private @Nullable SharedInfo shared;

    private boolean cloned;
    private int dataLen;
    private int protocol;
    private int priority;
    private int queueMapping;
    private int hash;
    private long tstamp;
    private @Nullable PacketDevice device;
    private @Nullable Destructor destructor;

    /** @param block the data block that goes with this descriptor, null for a clone's descriptor */
    SkBuff(SkBuffPool pool, MemorySegment cb, @Nullable MemorySegment block) {
        this.pool = pool;
        this.cb = cb;
        this.ownBlock = block == null ? null : new SharedInfo(this, block);
        this.shared = ownBlock;
    }

    boolean isCloneDescriptor() {
        return ownBlock == null;
    }

    /** Makes a buffer fresh from the pool an empty one with one reference. The control buffer keeps old bytes. */
    void initialize() {
        shinfo().initialize();
        USERS.set(this, 1);
        cloned = false;
        clearPositions();
        dataLen = 0;
        protocol = 0;
        priority = 0;
        queueMapping = 0;
        hash = 0;
        tstamp = 0;
    }

    private SharedInfo shinfo() {
        return Objects.requireNonNull(shared, "the buffer is free");
    }

    @Override
    boolean isLive() {
        return (int) USERS.getAcquire(this) > 0;
    }

    /** The data block, from head to end; offsets of this class count from its start. */
    public MemorySegment memory() {
        assert isLive() : "use after free";
        return shinfo().memory;
    }

    /** The data block as a direct buffer, made once per block, big-endian; callers may move its position and limit. */
    public ByteBuffer bytes() {
        assert isLive() : "use after free";
        return shinfo().bytes;
    }

    @Override
    public int end() {
        return (int) shinfo().memory.byteSize();
    }

    @Override
    public int dataLen() {
        return dataLen;
    }

    // Fragments

    /**
     * Appends {@code length} bytes that stay where they are; {@code memory} must live until the buffer is freed.
     *
     * @param offset of the first byte in {@code memory}
     * @throws IllegalStateException if there are {@link #MAX_FRAGS} already
     * @throws IndexOutOfBoundsException if the range is not inside {@code memory}, or the packet would exceed 2^31-1 bytes
     */
    public void addFrag(MemorySegment memory, long offset, int length) {
        assert isLive() : "use after free";
        SharedInfo info = shinfo();
        if (info.fragCount == MAX_FRAGS) {
            throw new IllegalStateException("a buffer has at most " + MAX_FRAGS + " fragments");
        }
        Objects.checkFromIndexSize(offset, length, memory.byteSize());
        checkRoom("addFrag", length, Integer.MAX_VALUE - len());
        info.addFrag(memory, offset, length);
        dataLen += length;
    }

    /** How many fragments there are ({@code nr_frags}). */
    public int fragCount() {
        return shinfo().fragCount;
    }

    /** The memory that fragment {@code index} points into. */
    public MemorySegment fragMemory(int index) {
        return Objects.requireNonNull(shinfo().fragMemory[Objects.checkIndex(index, fragCount())]);
    }

    /** Offset of fragment {@code index} in its memory, bytes. */
    public long fragOffset(int index) {
        return shinfo().fragOffset[Objects.checkIndex(index, fragCount())];
    }

    /** Length of fragment {@code index}, bytes. */
    public int fragLength(int index) {
        return shinfo().fragLength[Objects.checkIndex(index, fragCount())];
    }

    /**
     * Copies bytes of the packet, wherever they lie ({@code skb_copy_bits}).
     *
     * @param offset from the start of the packet ({@link #data()})
     * @param at offset in {@code target}
     * @throws IndexOutOfBoundsException if either range is outside; nothing is copied
     */
    public void copyBits(int offset, MemorySegment target, long at, int length) {
        assert isLive() : "use after free";
        Objects.checkFromIndexSize(offset, length, len());
        Objects.checkFromIndexSize(at, length, target.byteSize());
        SharedInfo info = shinfo();
        int linear = Math.clamp((long) headLen() - offset, 0, length);
        if (linear > 0) {
            MemorySegment.copy(info.memory, data() + offset, target, at, linear);
        }
        int skip = offset + linear - headLen();
        int done = linear;
        for (int i = 0; done < length; i++) {
            int part = Math.min(info.fragLength[i] - skip, length - done);
            if (part > 0) {
                MemorySegment.copy(fragMemory(i), info.fragOffset[i] + skip, target, at + done, part);
                done += part;
            }
            skip = Math.max(0, skip - info.fragLength[i]);
        }
    }

    /**
     * Gathers the fragments into the linear part ({@code skb_linearize}).
     *
     * @return false, with nothing changed, if the block lacks the room or a clone shares it: the caller drops the packet
     */
    public boolean linearize() {
        assert isLive() : "use after free";
        if (!isNonlinear()) {
            return true;
        }
        int length = dataLen;
        if (length > end() - tail() || isCloned()) {
            return false;
        }
        copyBits(headLen(), memory(), tail(), length);
        shinfo().clearFrags();
        dataLen = 0;
        put(length);
        return true;
    }

    // Segmentation

    /**
     * Makes the buffer a train of {@code segs} packets with {@code size} bytes of payload each, the last one perhaps
     * fewer; the headers in the linear part are those of the first. {@code size} 0 makes it one packet again.
     */
    public void gso(int size, int segs) {
        assert isLive() : "use after free";
        if (size < 0 || segs < 0 || (size > 0 && segs == 0)) {
            throw new IllegalArgumentException("gso of " + segs + " packets of " + size + " bytes");
        }
        shinfo().gsoSize = size;
        shinfo().gsoSegs = segs;
    }

    /** Payload bytes per packet of a train, 0 if it is none ({@code gso_size}). */
    public int gsoSize() {
        return shinfo().gsoSize;
    }

    /** Packets of a train ({@code gso_segs}). */
    public int gsoSegs() {
        return shinfo().gsoSegs;
    }

    /** True for a train ({@code skb_is_gso}). */
    public boolean isGso() {
        return shinfo().gsoSize != 0;
    }

    /** What is left to the device (in place of {@code gso_type} and {@code ip_summed}); null: the packet is finished. */
    public @Nullable PacketOffload offload() {
        return shinfo().offload;
    }

    /** Leaves work to the device; null takes that back. */
    public void offload(@Nullable PacketOffload offload) {
        assert isLive() : "use after free";
        shinfo().offload = offload;
    }

    // Who and where

    /** The device it came in on or leaves by; null while neither. */
    public @Nullable PacketDevice device() {
        return device;
    }

    public void device(@Nullable PacketDevice value) {
        device = value;
    }

    /** Ethertype of the L3 protocol, 16 bits, 0 if unknown. */
    public int protocol() {
        return protocol;
    }

    public void protocol(int value) {
        protocol = value;
    }

    /** Queueing priority, 0 is the lowest. */
    public int priority() {
        return priority;
    }

    public void priority(int value) {
        priority = value;
    }

    /** Transmit queue of a device with several ({@code skb_get_queue_mapping}). */
    public int queueMapping() {
        return queueMapping;
    }

    /** Chooses the transmit queue ({@code skb_set_queue_mapping}). */
    public void queueMapping(int value) {
        queueMapping = value;
    }

    /** Flow hash, 0 if not computed. */
    public int hash() {
        return hash;
    }

    public void hash(int value) {
        hash = value;
    }

    /** When it arrived, nanoseconds of the host's clock; 0 if not stamped. */
    public long tstamp() {
        return tstamp;
    }

    public void tstamp(long value) {
        tstamp = value;
    }

    /** 48 bytes off-heap, private to the layer that holds the buffer; content undefined when a layer gets it. */
    public MemorySegment cb() {
        assert isLive() : "use after free";
        return cb;
    }

    // Life

    /** Calls {@code value} when the buffer is freed; there is one destructor at most. */
    public void destructor(@Nullable Destructor value) {
        assert isLive() : "use after free";
        destructor = value;
    }

    /** Runs the destructor now, if any, and forgets it ({@code skb_orphan}). */
    public void orphan() {
        Destructor last = destructor;
        if (last != null) {
            destructor = null;
            last.destroy(this);
        }
    }

    /** How many hold the buffer; 0 once it is free. */
    public int users() {
        return (int) USERS.getAcquire(this);
    }

    /** True if not exactly one holds it ({@code skb_shared}). */
    public boolean isShared() {
        return users() != 1;
    }

    /** True if a clone shares the data block, which must not be written then ({@code skb_cloned}). */
    public boolean isCloned() {
        return cloned && shinfo().dataref() != 1;
    }

    /** How many descriptors refer to the data block. */
    public int dataref() {
        return shinfo().dataref();
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
     * Makes a second descriptor over the same data block ({@code skb_clone}); by the owner of the pool. Positions,
     * metadata and control buffer are copied; the clone has one reference, no destructor, and is in no queue.
     *
     * @return null if the pool has no descriptor left
     */
    public @Nullable SkBuff cloneDescriptor() {
        assert isLive() : "use after free";
        SkBuff clone = pool.takeClone();
        if (clone == null) {
            return null;
        }
        SharedInfo info = shinfo();
        info.addReference();
        clone.shared = info;
        cloned = true;
        clone.copyHeader(this);
        USERS.setRelease(clone, 1);
        return clone;
    }

    private void copyHeader(SkBuff from) {
        cloned = true;
        copyPositions(from);
        dataLen = from.dataLen;
        protocol = from.protocol;
        priority = from.priority;
        queueMapping = from.queueMapping;
        hash = from.hash;
        tstamp = from.tstamp;
        device = from.device;
        MemorySegment.copy(from.cb, 0, cb, 0, CB_BYTES);
    }

    /**
     * Gives one reference back ({@code kfree_skb}); the last one runs the destructor and returns the buffer to its pool.
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
            throw new IllegalStateException("double free");
        }
        if (queued) {
            throw new IllegalStateException("free of a buffer that is in a queue");
        }
        // The only holder: nobody else may count up or down from here.
        orphan();
        device = null;
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
            shared = null;
        }
        if (info.dropReference()) {
            info.clear();
            pool.release(info.home);
        }
        if (isClone) {
            pool.release(this);
        }
    }

    void enterQueue() {
        assert isLive() : "use after free";
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
