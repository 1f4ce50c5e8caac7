// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds one packet, or one train of packets ({@code struct sk_buff}).
 *
 * <p>A buffer is a descriptor of a data block. The block has a linear part with headroom and tailroom (see the drawing
 * of the package). Fragments point into memory outside the block. All positions are offsets in bytes from the start of
 * {@link #memory()}. {@code len} counts the linear part and the fragments. The positions are fields of the descriptor.
 * What all clones of a buffer share is in {@link #shinfo()}, what layers set for each other in {@link #meta()} and
 * {@link #marks()}.
 *
 * <p>Ownership: each holder of a reference ({@link #get}) frees it once ({@link #free}). The last {@code free} returns
 * the buffer to its {@link SkBuffPool}. The memory behind a fragment must stay valid until then; the
 * {@link #destructor(Destructor) destructor} notifies its owner. A buffer is used by one thread at a time. Passing it
 * to another thread needs a release/acquire pair, as in a queue between threads. No method allocates.
 *
 * <p>An operation that would leave the block throws and changes nothing. Such a call is a bug in this library; received
 * bytes never cause it. Assertions detect use after free, and a second {@link #free} is always detected.
 */
public final class SkBuff {
    /** Bytes that {@link #truesize} counts for the descriptor: about its size on the heap. */
    static final int DESCRIPTOR_BYTES = 192;

    /** Size of the control buffer in bytes. */
    public static final int CB_BYTES = 48;

    /** Maximum number of fragments of a buffer ({@code MAX_SKB_FRAGS}). */
    public static final int MAX_FRAGS = 32;

    /** Position of a header that is not set. */
    private static final int NOT_SET = -1;

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
    private final MemorySegment cb;
    private final @Nullable SharedInfo ownBlock;
    private final PacketMeta meta = new PacketMeta();
    private final PacketMarks marks = new PacketMarks();

    /** Null only in the free descriptor of a clone. */
    private @Nullable SharedInfo shared;

    private int data;
    private int tail;
    private int dataLen;
    private int macHeader;
    private int networkHeader;
    private int transportHeader;

    /** The next buffer in the queue; for a free buffer, the next one in the pool's free list. */
    @Nullable
    SkBuff next;

    private final UserCount users = new UserCount();
    private boolean queued;

    private boolean cloned;
    private boolean nohdr;
    private boolean pfmemalloc;
    private @Nullable Destructor destructor;

    /** @param block the data block of this descriptor, null for a descriptor of clones */
    SkBuff(SkBuffPool pool, MemorySegment cb, @Nullable MemorySegment block) {
        this.pool = pool;
        this.cb = cb;
        this.ownBlock = block == null ? null : new SharedInfo(this, block);
        this.shared = ownBlock;
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
        block().initialize();
        cloned = false;
        nohdr = false;
        pfmemalloc = fromReserve;
        data = 0;
        tail = 0;
        dataLen = 0;
        macHeader = NOT_SET;
        networkHeader = NOT_SET;
        transportHeader = NOT_SET;
        meta.clear();
        marks.clear();
        users.start();
    }

    private SharedInfo block() {
        return Objects.requireNonNull(shared, "the buffer is free");
    }

    void rememberSite() {
        users.rememberSite();
    }

    /** Returns one line of text about a buffer in use: size, references, owner, device and site of the allocation. */
    String describeHolder() {
        BufferSite allocated = users.site();
        return (isCloneDescriptor() ? "clone" : "buffer") + " of " + len() + " bytes, " + users() + " holders, owner "
                + meta.owner() + ", device " + meta.device()
                + (allocated == null ? "" : ", " + allocated.line(SkBuff.class, SkBuffPool.class));
    }

    // Parts

    /** {@return the data block with what all clones share: fragments and segmentation ({@code skb_shinfo})} */
    public SharedInfo shinfo() {
        assert users.isLive() : users.usedAfterFree();
        return block();
    }

    /** {@return origin, route, classification, checksum, VLAN tag and queue of the packet} */
    public PacketMeta meta() {
        return meta;
    }

    /** {@return what filters, connection tracking and queues noted about the packet} */
    public PacketMarks marks() {
        return marks;
    }

    /** {@return the data block, from head to end; all offsets are relative to its start} */
    public MemorySegment memory() {
        return shinfo().memory;
    }

    /**
     * {@return the data block as a direct big-endian buffer, created once per block; callers may change its position
     * and limit}
     */
    public ByteBuffer bytes() {
        return shinfo().bytes;
    }

    /**
     * {@return 48 bytes of native memory, private to the layer that holds the buffer; undefined when a layer receives
     * the buffer}
     */
    public MemorySegment cb() {
        assert users.isLive() : users.usedAfterFree();
        return cb;
    }

    // Linear part

    /** {@return offset of the first byte of the packet} */
    public int data() {
        return data;
    }

    /** {@return offset after the last byte of the linear part} */
    public int tail() {
        return tail;
    }

    /** {@return offset after the last byte of the block, which is its size} */
    public int end() {
        return block().size;
    }

    /** {@return bytes in the linear part ({@code skb_headlen})} */
    public int headLen() {
        return tail - data;
    }

    /** {@return bytes of the packet, fragments included ({@code skb->len})} */
    public int len() {
        return tail - data + dataLen;
    }

    /** {@return bytes in fragments ({@code skb->data_len})} */
    public int dataLen() {
        return dataLen;
    }

    /** {@return true if the packet has bytes outside the linear part ({@code skb_is_nonlinear})} */
    public boolean isNonlinear() {
        return dataLen > 0;
    }

    /** {@return free bytes in front of the packet ({@code skb_headroom})} */
    public int headroom() {
        return data;
    }

    /** {@return free bytes after the linear part; 0 if there are fragments, which follow it ({@code skb_tailroom})} */
    public int tailroom() {
        return isNonlinear() ? 0 : end() - tail;
    }

    /** {@return bytes of tailroom for payload, while a stream fills the buffer ({@code skb_availroom})} */
    public int availroom() {
        return Math.max(0, tailroom() - marks.reservedTailroom());
    }

    /**
     * Makes headroom in an empty buffer ({@code skb_reserve}).
     *
     * @param length bytes
     * @throws IllegalStateException if the buffer is not empty
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the tailroom
     */
    public void reserve(int length) {
        assert users.isLive() : users.usedAfterFree();
        if (len() != 0) {
            throw new IllegalStateException("reserve in a buffer of " + len() + " bytes; it must be empty");
        }
        checkRoom("reserve", length, tailroom());
        data += length;
        tail += length;
    }

    /**
     * Appends bytes to the linear part ({@code skb_put}).
     *
     * @param length bytes
     * @return offset of the first appended byte; the content of the bytes is undefined
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the tailroom
     */
    public int put(int length) {
        assert users.isLive() : users.usedAfterFree();
        checkRoom("put", length, tailroom());
        int at = tail;
        tail += length;
        return at;
    }

    /**
     * Adds bytes in front of the packet ({@code skb_push}).
     *
     * @param length bytes
     * @return the new {@link #data()}
     * @throws IllegalStateException if the headers were released
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the headroom
     */
    public int push(int length) {
        assert users.isLive() : users.usedAfterFree();
        if (nohdr) {
            throw new IllegalStateException("push into a buffer whose headers were released");
        }
        checkRoom("push", length, headroom());
        data -= length;
        return data;
    }

    /**
     * Removes bytes from the front of the linear part ({@code skb_pull}).
     *
     * @param length bytes
     * @return the new {@link #data()}
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the linear part
     */
    public int pull(int length) {
        assert users.isLive() : users.usedAfterFree();
        checkRoom("pull", length, headLen());
        data += length;
        return data;
    }

    /**
     * Shortens the packet to {@code length} bytes by removing its end ({@code skb_trim}).
     *
     * @param length bytes
     * @throws IllegalStateException if there are fragments
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the length of the packet
     */
    public void trim(int length) {
        assert users.isLive() : users.usedAfterFree();
        if (isNonlinear()) {
            throw new IllegalStateException("trim of a buffer with " + dataLen + " bytes in fragments");
        }
        checkRoom("trim", length, headLen());
        tail = data + length;
    }

    private static void checkRoom(String operation, int length, int room) {
        if (length < 0 || length > room) {
            throw new IndexOutOfBoundsException(operation + " of " + length + " bytes, possible are 0.." + room);
        }
    }

    // Positions of headers

    /**
     * {@return offset of the L2 header}
     *
     * @throws IllegalStateException if it is not set
     */
    public int macHeader() {
        return checkSet(macHeader, "mac");
    }

    /** {@return true if the position of the L2 header is set} */
    public boolean macHeaderWasSet() {
        return macHeader != NOT_SET;
    }

    /**
     * Sets the position of the L2 header to {@code offset} bytes from {@link #data()}.
     *
     * @param offset bytes, negative in the headroom
     */
    public void setMacHeader(int offset) {
        macHeader = headerAt(offset);
    }

    /**
     * {@return offset of the L3 header}
     *
     * @throws IllegalStateException if it is not set
     */
    public int networkHeader() {
        return checkSet(networkHeader, "network");
    }

    /** {@return true if the position of the L3 header is set} */
    public boolean networkHeaderWasSet() {
        return networkHeader != NOT_SET;
    }

    /**
     * Sets the position of the L3 header to {@code offset} bytes from {@link #data()} ({@code skb_set_network_header}).
     *
     * @param offset bytes, negative in the headroom
     */
    public void setNetworkHeader(int offset) {
        networkHeader = headerAt(offset);
    }

    /**
     * {@return offset of the L4 header}
     *
     * @throws IllegalStateException if it is not set
     */
    public int transportHeader() {
        return checkSet(transportHeader, "transport");
    }

    /** {@return true if the position of the L4 header is set ({@code skb_transport_header_was_set})} */
    public boolean transportHeaderWasSet() {
        return transportHeader != NOT_SET;
    }

    /**
     * Sets the position of the L4 header to {@code offset} bytes from {@link #data()} ({@code
     * skb_set_transport_header}).
     *
     * @param offset bytes, negative in the headroom
     */
    public void setTransportHeader(int offset) {
        transportHeader = headerAt(offset);
    }

    private int headerAt(int offset) {
        assert users.isLive() : users.usedAfterFree();
        // Negative offsets are usual: a header that was pulled is in the headroom.
        if (offset < -data || offset > headLen()) {
            throw new IndexOutOfBoundsException(
                    "header at " + offset + " from data, possible are " + -data + ".." + headLen());
        }
        return data + offset;
    }

    private static int checkSet(int header, String which) {
        if (header == NOT_SET) {
            throw new IllegalStateException("the " + which + " header was not set");
        }
        return header;
    }

    // Fragments

    /**
     * Appends a fragment of {@code length} bytes without copying them.
     *
     * @param memory must stay valid until the buffer is freed
     * @param offset of the first byte in {@code memory}
     * @param length bytes
     * @throws IllegalStateException if the buffer has {@link #MAX_FRAGS} fragments, or fragments of another process
     * @throws IndexOutOfBoundsException if the range is not inside {@code memory}, or the packet would exceed 2^31-1
     *     bytes
     */
    public void addFrag(MemorySegment memory, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, memory.byteSize());
        addFrag(null, memory, offset, length);
    }

    /**
     * Appends a fragment of {@code length} bytes in another process. Only {@link #copyBits} can read them;
     * {@link SharedInfo#fragMemory} returns an empty segment.
     *
     * @param memory the process that holds all fragments of this buffer
     * @param address of the first byte in that process
     * @param length bytes
     * @throws IllegalStateException if the buffer has {@link #MAX_FRAGS} fragments, or fragments that are not in
     *     {@code memory}
     * @throws IndexOutOfBoundsException if the packet would exceed 2^31-1 bytes
     */
    public void addForeignFrag(ForeignMemory memory, long address, int length) {
        addFrag(memory, MemorySegment.NULL, address, length);
    }

    private void addFrag(@Nullable ForeignMemory foreign, MemorySegment memory, long offset, int length) {
        checkRoom("addFrag", length, Integer.MAX_VALUE - len());
        shinfo().addFrag(foreign, memory, offset, length);
        dataLen += length;
    }

    /**
     * Appends a buffer behind the fragments ({@code frag_list}) and takes over its ownership. It is freed with this
     * buffer and cannot be in a queue. Its bytes count as bytes of this packet.
     *
     * @param buffer owned by this packet from now on
     * @throws IllegalStateException if it is in a queue or a list, or has a list itself
     * @throws IndexOutOfBoundsException if the packet would exceed 2^31-1 bytes
     */
    public void addFragList(SkBuff buffer) {
        if (buffer == this || buffer.shinfo().hasFragList()) {
            throw new IllegalStateException("a list of buffers does not hold lists");
        }
        checkRoom("addFragList", buffer.len(), Integer.MAX_VALUE - len());
        SharedInfo info = shinfo();
        buffer.enterQueue();
        info.addFragList(buffer);
        dataLen += buffer.len();
    }

    /**
     * Copies bytes of the linear part, of fragments and of listed buffers ({@code skb_copy_bits}).
     *
     * @param offset from the start of the packet ({@link #data()})
     * @param target destination of the bytes
     * @param at offset in {@code target}
     * @param length bytes
     * @throws IndexOutOfBoundsException if either range is outside; nothing is copied
     * @throws IllegalStateException if the memory behind a fragment is closed; {@link SharedInfo#hasAllBytes} returns
     *     false then
     */
    public void copyBits(int offset, MemorySegment target, long at, int length) {
        SharedInfo info = shinfo();
        Objects.checkFromIndexSize(offset, length, len());
        Objects.checkFromIndexSize(at, length, target.byteSize());
        int linear = Math.max(0, Math.min(headLen() - offset, length));
        if (linear > 0) {
            MemorySegment.copy(info.memory, data() + offset, target, at, linear);
        }
        if (linear < length) {
            info.copyBits(offset + linear - headLen(), target, at + linear, length - linear);
        }
    }

    /**
     * {@return the checksum of a range of the packet ({@code skb_checksum})}
     *
     * @param offset from the start of the packet ({@link #data()})
     * @param length bytes
     * @param sum initial value
     * @param step the checksum algorithm; this package contains none
     * @throws IndexOutOfBoundsException if the packet is shorter
     * @throws IllegalStateException if the memory behind a fragment is closed, or belongs to another process
     */
    public int checksum(int offset, int length, int sum, ChecksumStep step) {
        Objects.checkFromIndexSize(offset, length, len());
        if (shinfo().isForeign()) {
            throw new IllegalStateException("bytes of another process have no checksum here");
        }
        return checksum(offset, length, sum, 0, step);
    }

    /** @param before number of bytes added before */
    int checksum(int offset, int length, int sum, int before, ChecksumStep step) {
        SharedInfo info = block();
        int linear = Math.clamp((long) headLen() - offset, 0, length);
        int result = sum;
        if (linear > 0) {
            result = step.add(result, info.memory, data + (long) offset, linear, (before & 1) != 0);
        }
        return linear == length
                ? result
                : info.checksum(offset + linear - headLen(), length - linear, result, before + linear, step);
    }

    /**
     * Requests that the device completes the checksum ({@code skb_partial_csum_set}): {@link PacketMeta#ipSummed}
     * becomes PARTIAL. The checksum field already contains the sum of the pseudo header.
     *
     * @param start first byte of the sum, bytes from {@link #data()}
     * @param offset of the checksum field, bytes from {@code start}
     * @throws IndexOutOfBoundsException if the field is not in the linear part, or too far from the head for 16 bits
     */
    public void checksumPartial(int start, int offset) {
        checkRoom("checksumPartial, start", start, Math.min(headLen(), PacketMeta.CSUM_MASK - data));
        checkRoom("checksumPartial, offset", offset, headLen() - start - Short.BYTES);
        meta.checksumPartial(data + start, offset);
    }

    /**
     * Copies the fragments into the linear part and removes them ({@code skb_linearize}).
     *
     * @return false, with nothing changed, if the block is too small or a clone shares it: the caller drops the packet
     */
    public boolean linearize() {
        assert users.isLive() : users.usedAfterFree();
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

    // Lifetime

    /**
     * Sets the destructor, which runs when the buffer is freed. It replaces an earlier one.
     *
     * @param value null for none
     */
    public void destructor(@Nullable Destructor value) {
        assert users.isLive() : users.usedAfterFree();
        destructor = value;
    }

    /** Runs the destructor now, if there is one, and clears it and the owner ({@code skb_orphan}). */
    public void orphan() {
        Destructor last = destructor;
        if (last != null) {
            destructor = null;
            last.destroy(this);
        }
        meta.owner(null);
    }

    /** {@return the number of references; 0 once the buffer is free} */
    public int users() {
        return users.count();
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
        users.add();
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
        assert users.isLive() : users.usedAfterFree();
        SkBuff clone = pool.takeClone();
        if (clone == null) {
            return null;
        }
        SharedInfo info = block();
        info.addReference();
        clone.shared = info;
        cloned = true;
        clone.cloned = true;
        clone.nohdr = false;
        clone.pfmemalloc = pfmemalloc;
        clone.data = data;
        clone.tail = tail;
        clone.dataLen = dataLen;
        clone.copyOwnFields(this);
        clone.users.start();
        return clone;
    }

    /** Copies what a clone and a copy have of their own: header positions, metadata, route and control buffer. */
    private void copyOwnFields(SkBuff from) {
        macHeader = from.macHeader;
        networkHeader = from.networkHeader;
        transportHeader = from.transportHeader;
        copyFields(from);
        meta.copyDst(from.meta);
        MemorySegment.copy(from.cb, 0, cb, 0, CB_BYTES);
    }

    /**
     * Copies {@link #meta()} and {@link #marks()} except the owner, the route and {@link PacketMarks#peeked}
     * ({@code __copy_skb_header}). The owner is notified of one buffer only, and the copy has not been peeked at. A
     * PARTIAL checksum keeps its start relative to {@link #data()}.
     *
     * @param from is not changed
     */
    public void copyFields(SkBuff from) {
        marks.copy(from.marks);
        meta.copy(from.meta, data - from.data);
    }

    /**
     * Copies the packet into a new buffer with all bytes in the linear part ({@code skb_copy}). Only the owner of the
     * pool may call it. Headroom, header positions, metadata and control buffer are copied; the copy is not a train.
     *
     * @return null if the pool has no free buffer, or if its blocks are too small
     */
    public @Nullable SkBuff copy() {
        assert users.isLive() : users.usedAfterFree();
        if (len() > end() - data) {
            return null;
        }
        SkBuff copy = pool.allocate();
        if (copy != null) {
            copy.reserve(data);
            copy.put(len());
            copyBits(0, copy.memory(), data, len());
            MemorySegment.copy(memory(), 0, copy.memory(), 0, data);
            copy.copyOwnFields(this);
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
        if (!shinfo().hasTxFlag(TxFlag.DEV_ZEROCOPY)) {
            return true;
        }
        try {
            if (!linearize()) {
                return false;
            }
        } catch (IllegalStateException closed) {
            return false;
        }
        shinfo().txFlag(TxFlag.DEV_ZEROCOPY, false);
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
        assert users.isLive() : users.usedAfterFree();
        if (nohdr) {
            throw new IllegalStateException("the headers were released already");
        }
        nohdr = true;
        block().releaseHeaders();
    }

    /** {@return true if the holder released the headers: no bytes may be put in front ({@code skb->nohdr})} */
    public boolean isPayloadOnly() {
        return nohdr;
    }

    /** {@return true if a clone shares the data block, which must not be written then ({@code skb_cloned})} */
    public boolean isCloned() {
        return cloned && block().dataref() != 1;
    }

    /** {@return true if a clone shares the headers, which must not be written then ({@code skb_header_cloned})} */
    public boolean isHeaderCloned() {
        return cloned && block().headerReferences() != 1;
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
        return DESCRIPTOR_BYTES + CB_BYTES + end() + block().fragListTruesize();
    }

    /**
     * Releases one reference; any thread may call it. The last call runs the destructor and returns the buffer to its
     * pool. {@code kfree_skb} and {@code consume_skb} do not differ here: a caller that drops a packet counts the drop
     * itself.
     *
     * @throws IllegalStateException if the buffer is free already, or in a queue
     */
    public void free() {
        if (users.dropShared()) {
            return;
        }
        if (queued) {
            throw new IllegalStateException("free of a buffer that is in a queue");
        }
        // This thread holds the only reference, so no other thread changes the count from here on.
        orphan();
        meta.release();
        marks.resetFlow();
        users.end();
        releaseData();
    }

    /**
     * Releases the block. The block and its home descriptor return to the pool with the last reference to the block,
     * which may be a clone's. This method must not touch the descriptor after its reference is released.
     */
    private void releaseData() {
        SharedInfo info = block();
        boolean isClone = isCloneDescriptor();
        if (isClone) {
            shared = null;
        }
        if (info.dropReference(nohdr)) {
            info.clear();
            pool.giveBack(info.home);
        }
        if (isClone) {
            pool.giveBack(this);
        }
    }

    void enterQueue() {
        assert users.isLive() : users.usedAfterFree();
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
