// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds a data block and the state that all clones of a buffer share ({@code struct skb_shared_info}): fragments,
 * segmentation, and the number of descriptors that refer to the block ({@code dataref}).
 *
 * <p>Each block belongs to one descriptor, its {@link #home}, as long as the pool exists. Block and home descriptor
 * return to the pool when the last descriptor has released the block.
 */
public final class SharedInfo {
    private static final VarHandle DATAREF;

    static {
        try {
            DATAREF = MethodHandles.lookup().findVarHandle(SharedInfo.class, "dataref", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int PAYLOAD_SHIFT = 16;
    private static final int COUNT_MASK = (1 << PAYLOAD_SHIFT) - 1;
    private static final int PAYLOAD_REFERENCE = 1 << PAYLOAD_SHIFT;

    final SkBuff home;
    final MemorySegment memory;
    final ByteBuffer bytes;

    /** Size of the block in bytes. */
    final int size;

    /** Entries from {@link #fragCount} on are null, so that a pooled buffer does not keep memory reachable. */
    private final @Nullable MemorySegment[] fragMemory = new MemorySegment[SkBuff.MAX_FRAGS];

    private final long[] fragOffset = new long[SkBuff.MAX_FRAGS];
    private final int[] fragLength = new int[SkBuff.MAX_FRAGS];
    private int fragCount;

    /** The process that holds all fragments, with addresses as offsets; null if they are in {@link #fragMemory}. */
    private @Nullable ForeignMemory foreign;

    private int gsoSize;
    private int gsoSegs;
    private GsoType gsoType = GsoType.NONE;
    private int txFlags;
    private int ip6FragId;
    private long hwtstamp;
    private @Nullable Object destructorArg;

    /** First of the buffers behind the fragments, linked through {@code next}; null if there are none. */
    private @Nullable SkBuff fragList;

    /** Last of the buffers behind the fragments. */
    private @Nullable SkBuff fragTail;

    /** The {@code truesize} of the buffers behind the fragments, bytes. */
    private int fragListTruesize;

    private @Nullable PacketOffload offload;

    /** Lower 16 bits: descriptors that refer to the block. Upper 16 bits: those of them that released the headers. */
    @SuppressWarnings("unused") // through DATAREF
    private volatile int dataref;

    SharedInfo(SkBuff home, MemorySegment memory) {
        this.home = home;
        this.memory = memory;
        this.bytes = memory.asByteBuffer();
        this.size = bytes.capacity();
    }

    /** Initializes a block from the pool: one reference, nothing attached. */
    void initialize() {
        DATAREF.set(this, 1);
    }

    // References

    /** {@return the number of descriptors that refer to the data block} */
    public int dataref() {
        return (int) DATAREF.getAcquire(this) & COUNT_MASK;
    }

    /** Returns the number of descriptors that have not released the headers. */
    int headerReferences() {
        int count = (int) DATAREF.getAcquire(this);
        return (count & COUNT_MASK) - (count >>> PAYLOAD_SHIFT);
    }

    void addReference() {
        DATAREF.getAndAdd(this, 1);
    }

    /** Counts a descriptor that releases the headers; it is counted until it drops its reference. */
    void releaseHeaders() {
        DATAREF.getAndAdd(this, PAYLOAD_REFERENCE);
    }

    /**
     * Drops one reference. Returns true if it was the last one: the caller returns the block to the pool.
     *
     * @param payloadOnly true if the descriptor had released the headers
     */
    boolean dropReference(boolean payloadOnly) {
        int parts = payloadOnly ? PAYLOAD_REFERENCE + 1 : 1;
        // The only holder needs no atomic operation: no other thread can add a reference.
        return dataref() == 1 || ((int) DATAREF.getAndAdd(this, -parts) & COUNT_MASK) == 1;
    }

    // Fragments

    /** Appends a fragment. All fragments of a block are in the same process. */
    @SuppressWarnings("ReferenceEquality") // one object per process
    void addFrag(@Nullable ForeignMemory process, MemorySegment segment, long offset, int length) {
        if (fragCount == SkBuff.MAX_FRAGS) {
            throw new IllegalStateException("a buffer has at most " + SkBuff.MAX_FRAGS + " fragments");
        }
        if (fragCount > 0 && foreign != process) {
            throw new IllegalStateException("fragments of this process and of another one in one buffer");
        }
        foreign = process;
        fragMemory[fragCount] = segment;
        fragOffset[fragCount] = offset;
        fragLength[fragCount] = length;
        fragCount++;
    }

    /** Appends a buffer behind the fragments. */
    void addFragList(SkBuff skb) {
        SkBuff last = fragTail;
        if (last == null) {
            fragList = skb;
        } else {
            last.next = skb;
        }
        fragTail = skb;
        fragListTruesize += skb.truesize();
    }

    /** Removes the fragments and frees the listed buffers, so that a pooled buffer keeps no memory reachable. */
    void clearFrags() {
        while (fragCount > 0) {
            fragMemory[--fragCount] = null;
        }
        foreign = null;
        SkBuff skb = fragList;
        fragList = null;
        fragTail = null;
        fragListTruesize = 0;
        while (skb != null) {
            SkBuff following = skb.next;
            skb.leaveQueue();
            skb.free();
            skb = following;
        }
    }

    /** Returns the block to its initial state; {@link #initialize} then sets the reference. */
    void clear() {
        clearFrags();
        gsoSize = 0;
        gsoSegs = 0;
        gsoType = GsoType.NONE;
        txFlags = 0;
        ip6FragId = 0;
        hwtstamp = 0;
        destructorArg = null;
        offload = null;
    }

    /** {@return the number of fragments ({@code nr_frags})} */
    public int fragCount() {
        return fragCount;
    }

    /**
     * {@return the memory of fragment {@code index}; empty for a {@link SkBuff#addForeignFrag foreign} fragment}
     *
     * @param index from 0
     */
    public MemorySegment fragMemory(int index) {
        return Objects.requireNonNull(fragMemory[Objects.checkIndex(index, fragCount)]);
    }

    /**
     * {@return offset of fragment {@code index} in its memory, bytes; its address for a {@link SkBuff#addForeignFrag
     * foreign} one}
     *
     * @param index from 0
     */
    public long fragOffset(int index) {
        return fragOffset[Objects.checkIndex(index, fragCount)];
    }

    /**
     * {@return length of fragment {@code index}, bytes}
     *
     * @param index from 0
     */
    public int fragLength(int index) {
        return fragLength[Objects.checkIndex(index, fragCount)];
    }

    /** {@return true if there are fragments and they are in another process} */
    public boolean isForeign() {
        return foreign != null;
    }

    /** {@return false if memory behind a fragment is closed, so that its bytes cannot be read} */
    public boolean hasAllBytes() {
        ForeignMemory process = foreign;
        for (int i = 0; process == null && i < fragCount; i++) {
            if (!fragMemory(i).scope().isAlive()) {
                return false;
            }
        }
        return process == null || process.isAlive();
    }

    /** {@return true if buffers follow the fragments ({@code skb_has_frag_list})} */
    public boolean hasFragList() {
        return fragList != null;
    }

    /** Returns the {@code truesize} of the listed buffers, bytes. */
    int fragListTruesize() {
        return fragListTruesize;
    }

    /**
     * Copies bytes of fragments and of listed buffers.
     *
     * @param offset of the first byte, from the start of the first fragment
     */
    void copyBits(int offset, MemorySegment target, long at, int length) {
        int skip = offset;
        int done = 0;
        for (int i = 0; done < length && i < fragCount; i++) {
            int part = Math.min(fragLength[i] - skip, length - done);
            if (part > 0) {
                copyFrag(i, skip, target, at + done, part);
                done += part;
            }
            skip = Math.max(0, skip - fragLength[i]);
        }
        for (SkBuff skb = fragList; done < length && skb != null; skb = skb.next) {
            int part = Math.min(skb.len() - skip, length - done);
            if (part > 0) {
                skb.copyBits(skip, target, at + done, part);
                done += part;
            }
            skip = Math.max(0, skip - skb.len());
        }
    }

    private void copyFrag(int index, int skip, MemorySegment target, long at, int length) {
        ForeignMemory elsewhere = foreign;
        long from = fragOffset[index] + skip;
        if (elsewhere == null) {
            MemorySegment.copy(Objects.requireNonNull(fragMemory[index]), from, target, at, length);
        } else {
            elsewhere.copy(from, target, at, length);
        }
    }

    /**
     * Returns the checksum of bytes of fragments and of listed buffers.
     *
     * @param offset of the first byte, from the start of the first fragment
     * @param before number of bytes added before
     */
    int checksum(int offset, int length, int sum, int before, ChecksumStep step) {
        int result = sum;
        int skip = offset;
        int done = 0;
        for (int i = 0; done < length && i < fragCount; i++) {
            int part = Math.min(fragLength[i] - skip, length - done);
            if (part > 0) {
                boolean odd = (before + done & 1) != 0;
                result = step.add(result, fragMemory(i), fragOffset[i] + skip, part, odd);
                done += part;
            }
            skip = Math.max(0, skip - fragLength[i]);
        }
        for (SkBuff skb = fragList; done < length && skb != null; skb = skb.next) {
            int part = Math.min(skb.len() - skip, length - done);
            if (part > 0) {
                result = skb.checksum(skip, part, result, before + done, step);
                done += part;
            }
            skip = Math.max(0, skip - skb.len());
        }
        return result;
    }

    // Segmentation

    /**
     * Makes the buffer a train of {@code segs} packets with {@code size} bytes of payload each. The last packet may be
     * shorter. The linear part holds the headers of the first packet. With {@code size} 0 the buffer is one packet.
     *
     * @param size payload bytes per packet; 0 for one packet
     * @param segs number of packets
     */
    public void gso(int size, int segs) {
        if (size < 0 || segs < 0 || (size > 0 && segs == 0)) {
            throw new IllegalArgumentException("gso of " + segs + " packets of " + size + " bytes");
        }
        gsoSize = size;
        gsoSegs = segs;
    }

    /** {@return payload bytes per packet of a train, 0 for a single packet ({@code gso_size})} */
    public int gsoSize() {
        return gsoSize;
    }

    /** {@return number of packets of a train ({@code gso_segs})} */
    public int gsoSegs() {
        return gsoSegs;
    }

    /** {@return true for a train ({@code skb_is_gso})} */
    public boolean isGso() {
        return gsoSize != 0;
    }

    /** {@return the protocol that segments the train ({@code gso_type})} */
    public GsoType gsoType() {
        return gsoType;
    }

    /**
     * Sets {@link #gsoType()}.
     *
     * @param type protocol that segments the train
     */
    public void gsoType(GsoType type) {
        gsoType = type;
    }

    /** {@return true for a train of TCP over IPv6 ({@code skb_is_gso_v6})} */
    public boolean isGsoV6() {
        return gsoType == GsoType.TCPV6;
    }

    /**
     * {@return the offload that completes the packet (in place of {@code gso_type} and {@code ip_summed}); null if the
     * packet is finished}
     */
    public @Nullable PacketOffload offload() {
        return offload;
    }

    /**
     * Sets {@link #offload()}.
     *
     * @param value completes the packet; null if it is finished
     */
    public void offload(@Nullable PacketOffload value) {
        offload = value;
    }

    // Transmission

    /**
     * {@return true if the flag is set ({@code tx_flags})}
     *
     * @param flag one of the constants
     */
    public boolean hasTxFlag(TxFlag flag) {
        return (txFlags & flag.bit()) != 0;
    }

    /**
     * Sets or clears a flag.
     *
     * @param flag one of the constants
     * @param value true to set it
     */
    public void txFlag(TxFlag flag, boolean value) {
        txFlags = value ? txFlags | flag.bit() : txFlags & ~flag.bit();
    }

    /**
     * {@return time of transmission or arrival on the link, ns of the link's clock; 0 if not recorded
     * ({@code hwtstamps})}
     */
    public long hwtstamp() {
        return hwtstamp;
    }

    /**
     * Sets {@link #hwtstamp()}.
     *
     * @param nanoseconds of the device's clock
     */
    public void hwtstamp(long nanoseconds) {
        hwtstamp = nanoseconds;
    }

    /** {@return the identification for the fragments of an IPv6 train, 32 bits ({@code ip6_frag_id})} */
    public int ip6FragId() {
        return ip6FragId;
    }

    /**
     * Sets {@link #ip6FragId()}.
     *
     * @param identification 32 bits
     */
    public void ip6FragId(int identification) {
        ip6FragId = identification;
    }

    /** {@return an object of the sender for use in its destructor ({@code destructor_arg})} */
    public @Nullable Object destructorArg() {
        return destructorArg;
    }

    /**
     * Sets {@link #destructorArg()}.
     *
     * @param value null for none
     */
    public void destructorArg(@Nullable Object value) {
        destructorArg = value;
    }
}
