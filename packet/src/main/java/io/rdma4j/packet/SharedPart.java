package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The data block of a buffer and the state that its clones share ({@code skb_shinfo}): fragments, list of buffers,
 * segmentation and transmit flags.
 *
 * <p>This class exists only to keep {@link SkBuff} short; {@code SkBuff} is its only concrete subclass.
 */
public abstract sealed class SharedPart extends LinearPart permits FilterFields {
    /** Maximum number of fragments of a buffer ({@code MAX_SKB_FRAGS}). */
    public static final int MAX_FRAGS = 32;

    /** Null only in the free descriptor of a clone. */
    private @Nullable SharedInfo shared;

    private boolean cloned;
    private int dataLen;

    SharedPart() {}

    final SharedInfo shinfo() {
        return Objects.requireNonNull(shared, "the buffer is free");
    }

    final void share(@Nullable SharedInfo info) {
        shared = info;
    }

    final void clearShared() {
        cloned = false;
        dataLen = 0;
    }

    final void copyShared(SharedPart from) {
        cloned = true;
        dataLen = from.dataLen;
    }

    final void markCloned() {
        cloned = true;
    }

    /** Returns true if the buffer is a clone or ever had one ({@code skb->cloned}). */
    final boolean isMarkedCloned() {
        return cloned;
    }

    /** {@return the data block, from head to end; all offsets are relative to its start} */
    public final MemorySegment memory() {
        assert isLive() : usedAfterFree();
        return shinfo().memory;
    }

    /**
     * {@return the data block as a direct big-endian buffer, created once per block; callers may change its position
     * and limit}
     */
    public final ByteBuffer bytes() {
        assert isLive() : usedAfterFree();
        return shinfo().bytes;
    }

    @Override
    public final int end() {
        return shinfo().size;
    }

    @Override
    public final int dataLen() {
        return dataLen;
    }

    /** {@return true if a clone shares the data block, which must not be written then ({@code skb_cloned})} */
    public final boolean isCloned() {
        return cloned && shinfo().dataref() != 1;
    }

    /** {@return the number of descriptors that refer to the data block} */
    public final int dataref() {
        return shinfo().dataref();
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
    public final void addFrag(MemorySegment memory, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, memory.byteSize());
        addFrag(null, memory, offset, length);
    }

    /**
     * Appends a fragment of {@code length} bytes in another process. Only {@link #copyBits} can read them;
     * {@link #fragMemory} returns an empty segment.
     *
     * @param memory the process that holds all fragments of this buffer
     * @param address of the first byte in that process
     * @param length bytes
     * @throws IllegalStateException if the buffer has {@link #MAX_FRAGS} fragments, or fragments that are not in
     *     {@code memory}
     * @throws IndexOutOfBoundsException if the packet would exceed 2^31-1 bytes
     */
    public final void addForeignFrag(ForeignMemory memory, long address, int length) {
        addFrag(memory, MemorySegment.NULL, address, length);
    }

    @SuppressWarnings("ReferenceEquality") // one object per process
    private void addFrag(@Nullable ForeignMemory foreign, MemorySegment memory, long offset, int length) {
        assert isLive() : usedAfterFree();
        SharedInfo info = shinfo();
        if (info.fragCount == MAX_FRAGS) {
            throw new IllegalStateException("a buffer has at most " + MAX_FRAGS + " fragments");
        }
        if (info.fragCount > 0 && info.foreign != foreign) {
            throw new IllegalStateException("fragments of this process and of another one in one buffer");
        }
        checkRoom("addFrag", length, Integer.MAX_VALUE - len());
        info.foreign = foreign;
        info.addFrag(memory, offset, length);
        dataLen += length;
    }

    /** {@return true if there are fragments and they are in another process} */
    public final boolean isForeign() {
        return shinfo().foreign != null;
    }

    /** {@return false if memory behind a fragment is closed, so that its bytes cannot be read} */
    public final boolean hasAllBytes() {
        SharedInfo info = shinfo();
        ForeignMemory foreign = info.foreign;
        for (int i = 0; foreign == null && i < info.fragCount; i++) {
            if (!fragMemory(i).scope().isAlive()) {
                return false;
            }
        }
        return foreign == null || foreign.isAlive();
    }

    /** {@return the number of fragments ({@code nr_frags})} */
    public final int fragCount() {
        return shinfo().fragCount;
    }

    /**
     * {@return the memory of fragment {@code index}; empty for a {@link #addForeignFrag foreign} fragment}
     *
     * @param index from 0
     */
    public final MemorySegment fragMemory(int index) {
        return Objects.requireNonNull(shinfo().fragMemory[Objects.checkIndex(index, fragCount())]);
    }

    /**
     * {@return offset of fragment {@code index} in its memory, bytes; its address for a {@link #addForeignFrag foreign}
     * one}
     *
     * @param index from 0
     */
    public final long fragOffset(int index) {
        return shinfo().fragOffset[Objects.checkIndex(index, fragCount())];
    }

    /**
     * {@return length of fragment {@code index}, bytes}
     *
     * @param index from 0
     */
    public final int fragLength(int index) {
        return shinfo().fragLength[Objects.checkIndex(index, fragCount())];
    }

    /**
     * Copies bytes of the linear part, of fragments and of listed buffers ({@code skb_copy_bits}).
     *
     * @param offset from the start of the packet ({@link #data()})
     * @param target destination of the bytes
     * @param at offset in {@code target}
     * @param length bytes
     * @throws IndexOutOfBoundsException if either range is outside; nothing is copied
     * @throws IllegalStateException if the memory behind a fragment is closed; {@link #hasAllBytes} returns false then
     */
    public final void copyBits(int offset, MemorySegment target, long at, int length) {
        assert isLive() : usedAfterFree();
        Objects.checkFromIndexSize(offset, length, len());
        Objects.checkFromIndexSize(at, length, target.byteSize());
        SharedInfo info = shinfo();
        int linear = Math.max(0, Math.min(headLen() - offset, length));
        if (linear > 0) {
            MemorySegment.copy(info.memory, data() + offset, target, at, linear);
        }
        int skip = offset + linear - headLen();
        int done = linear;
        for (int i = 0; done < length && i < info.fragCount; i++) {
            int part = Math.min(info.fragLength[i] - skip, length - done);
            if (part > 0) {
                info.copyFrag(i, skip, target, at + done, part);
                done += part;
            }
            skip = Math.max(0, skip - info.fragLength[i]);
        }
        for (SkBuff skb = info.fragList; done < length && skb != null; skb = skb.next) {
            int part = Math.min(skb.len() - skip, length - done);
            if (part > 0) {
                skb.copyBits(skip, target, at + done, part);
                done += part;
            }
            skip = Math.max(0, skip - skb.len());
        }
    }

    /** Adds bytes to a checksum; used by {@link #checksum}. */
    @FunctionalInterface
    public interface ChecksumStep {
        /**
         * {@return the sum after {@code length} more bytes; must not allocate}
         *
         * @param sum so far
         * @param memory source of the bytes
         * @param offset of the first byte in {@code memory}
         * @param length bytes
         * @param odd true if the number of bytes added before is odd
         */
        int add(int sum, MemorySegment memory, long offset, int length, boolean odd);
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
    public final int checksum(int offset, int length, int sum, ChecksumStep step) {
        assert isLive() : usedAfterFree();
        Objects.checkFromIndexSize(offset, length, len());
        if (isForeign()) {
            throw new IllegalStateException("bytes of another process have no checksum here");
        }
        return checksum(offset, length, sum, 0, step);
    }

    /** @param before number of bytes added before */
    private int checksum(int offset, int length, int sum, int before, ChecksumStep step) {
        SharedInfo info = shinfo();
        int result = sum;
        int done = Math.clamp((long) headLen() - offset, 0, length);
        if (done > 0) {
            result = step.add(result, info.memory, data() + (long) offset, done, (before & 1) != 0);
        }
        int skip = offset + done - headLen();
        for (int i = 0; done < length && i < info.fragCount; i++) {
            int part = Math.min(info.fragLength[i] - skip, length - done);
            if (part > 0) {
                boolean odd = (before + done & 1) != 0;
                result = step.add(result, fragMemory(i), info.fragOffset[i] + skip, part, odd);
                done += part;
            }
            skip = Math.max(0, skip - info.fragLength[i]);
        }
        for (SkBuff skb = info.fragList; done < length && skb != null; skb = skb.next) {
            int part = Math.min(skb.len() - skip, length - done);
            if (part > 0) {
                result = ((SharedPart) skb).checksum(skip, part, result, before + done, step);
                done += part;
            }
            skip = Math.max(0, skip - skb.len());
        }
        return result;
    }

    /**
     * Copies the fragments into the linear part and removes them ({@code skb_linearize}).
     *
     * @return false, with nothing changed, if the block is too small or a clone shares it: the caller drops the packet
     */
    public final boolean linearize() {
        assert isLive() : usedAfterFree();
        if (!isNonlinear()) {
            return true;
        }
        int length = dataLen;
        if (length > end() - tail() || isCloned()) {
            return false;
        }
        copyBits(headLen(), memory(), tail(), length);
        shinfo().clearFrags();
        shinfo().freeFragList();
        dataLen = 0;
        put(length);
        return true;
    }

    /**
     * Appends a buffer behind the fragments ({@code frag_list}) and takes over its ownership. It is freed with this
     * buffer and cannot be in a queue. Its bytes count as bytes of this packet.
     *
     * @param buffer owned by this packet from now on
     * @throws IllegalStateException if it is in a queue or a list, or has a list itself
     * @throws IndexOutOfBoundsException if the packet would exceed 2^31-1 bytes
     */
    public final void addFragList(SkBuff buffer) {
        assert isLive() : usedAfterFree();
        if (buffer == this || buffer.hasFragList()) {
            throw new IllegalStateException("a list of buffers does not hold lists");
        }
        checkRoom("addFragList", buffer.len(), Integer.MAX_VALUE - len());
        buffer.enterQueue();
        shinfo().addFragList(buffer);
        dataLen += buffer.len();
    }

    /** {@return true if buffers follow the fragments ({@code skb_has_frag_list})} */
    public final boolean hasFragList() {
        return shinfo().fragList != null;
    }

    // Segmentation

    /**
     * Makes the buffer a train of {@code segs} packets with {@code size} bytes of payload each. The last packet may be
     * shorter. The linear part holds the headers of the first packet. With {@code size} 0 the buffer is one packet.
     *
     * @param size payload bytes per packet; 0 for one packet
     * @param segs number of packets
     */
    public final void gso(int size, int segs) {
        assert isLive() : usedAfterFree();
        if (size < 0 || segs < 0 || (size > 0 && segs == 0)) {
            throw new IllegalArgumentException("gso of " + segs + " packets of " + size + " bytes");
        }
        shinfo().gsoSize = size;
        shinfo().gsoSegs = segs;
    }

    /** {@return payload bytes per packet of a train, 0 for a single packet ({@code gso_size})} */
    public final int gsoSize() {
        return shinfo().gsoSize;
    }

    /** {@return number of packets of a train ({@code gso_segs})} */
    public final int gsoSegs() {
        return shinfo().gsoSegs;
    }

    /** {@return true for a train ({@code skb_is_gso})} */
    public final boolean isGso() {
        return shinfo().gsoSize != 0;
    }

    /**
     * {@return the offload that completes the packet (in place of {@code gso_type} and {@code ip_summed}); null if the
     * packet is finished}
     */
    public final @Nullable PacketOffload offload() {
        return shinfo().offload;
    }

    /**
     * Sets {@link #offload()}.
     *
     * @param offload completes the packet; null if it is finished
     */
    public final void offload(@Nullable PacketOffload offload) {
        assert isLive() : usedAfterFree();
        shinfo().offload = offload;
    }

    // State shared by clones

    /** {@return the protocol that segments the train ({@code gso_type})} */
    public final GsoType gsoType() {
        return shinfo().gsoType;
    }

    /**
     * Sets {@link #gsoType()}.
     *
     * @param type protocol that segments the train
     */
    public final void gsoType(GsoType type) {
        shinfo().gsoType = type;
    }

    /** {@return true for a train of TCP over IPv6 ({@code skb_is_gso_v6})} */
    public final boolean isGsoV6() {
        return shinfo().gsoType == GsoType.TCPV6;
    }

    /**
     * {@return true if the flag is set ({@code tx_flags})}
     *
     * @param flag one of the constants
     */
    public final boolean hasTxFlag(TxFlag flag) {
        return (shinfo().txFlags & flag.bit()) != 0;
    }

    /**
     * Sets or clears a flag.
     *
     * @param flag one of the constants
     * @param value true to set it
     */
    public final void txFlag(TxFlag flag, boolean value) {
        SharedInfo info = shinfo();
        info.txFlags = value ? info.txFlags | flag.bit() : info.txFlags & ~flag.bit();
    }

    /**
     * {@return time of transmission or arrival on the link, ns of the link's clock; 0 if not recorded
     * ({@code hwtstamps})}
     */
    public final long hwtstamp() {
        return shinfo().hwtstamp;
    }

    /**
     * Sets {@link #hwtstamp()}.
     *
     * @param nanoseconds of the device's clock
     */
    public final void hwtstamp(long nanoseconds) {
        shinfo().hwtstamp = nanoseconds;
    }

    /** {@return the identification for the fragments of an IPv6 train, 32 bits ({@code ip6_frag_id})} */
    public final int ip6FragId() {
        return shinfo().ip6FragId;
    }

    /**
     * Sets {@link #ip6FragId()}.
     *
     * @param identification 32 bits
     */
    public final void ip6FragId(int identification) {
        shinfo().ip6FragId = identification;
    }

    /** {@return an object of the sender for use in its destructor ({@code destructor_arg})} */
    public final @Nullable Object destructorArg() {
        return shinfo().destructorArg;
    }

    /**
     * Sets {@link #destructorArg()}.
     *
     * @param value null for none
     */
    public final void destructorArg(@Nullable Object value) {
        shinfo().destructorArg = value;
    }
}
