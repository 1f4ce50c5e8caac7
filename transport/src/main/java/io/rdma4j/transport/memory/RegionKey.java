// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A memory region: one or more memory segments that follow one another in its address space. Corresponds to
 * {@code rxe_mr}.
 *
 * <p>An ordinary region is valid from registration to deregistration. A fast-registered one
 * ({@code IB_MR_TYPE_MEM_REG}) becomes valid by a REG_MR work request, which uses the segments {@link #map mapped}
 * last, and invalid by LOCAL_INV or the peer's SEND with invalidate. One of the older fast kind ({@code ib_fmr}) does
 * so by {@link #remap} and {@link #unmap}.
 */
public final class RegionKey extends MemoryKey {
    private final boolean fast;
    private final boolean fixed;

    private volatile SegmentList mapped = SegmentList.NONE;
    private SegmentList current = SegmentList.NONE;
    private long iova;
    private int windows;

    /** Made at the first use; two threads may make one each. */
    private @Nullable RecentRegion recent;

    /** Creates a region that is registered once. */
    RegionKey(int key, Object protectionDomain, List<MemorySegment> pieces, long iova, int access) {
        super(key, protectionDomain);
        this.fast = false;
        map(pieces);
        this.fixed = true;
        open(iova, key, access);
    }

    /** Creates a region of all that is mapped in a {@link DmaSpace}, which calls {@link #follow}. */
    RegionKey(int key, Object protectionDomain, int access) {
        super(key, protectionDomain);
        this.fast = false;
        this.fixed = false;
        open(0, key, access);
    }

    /** Creates a region without memory; {@code fast}: it is registered by work request, otherwise by call. */
    RegionKey(int key, Object protectionDomain, boolean fast) {
        super(key, protectionDomain);
        this.fast = fast;
        this.fixed = false;
    }

    /**
     * Sets the memory for the next REG_MR ({@code ib_map_mr_sg}). Thread-safe; the segments are not changed.
     *
     * @param pieces cut at page boundaries
     */
    public void map(List<MemorySegment> pieces) {
        mapped = new SegmentList(pieces);
    }

    /** Makes the mapped memory accessible from {@code address} on. */
    public void open(long address, int newKey, int access) {
        current = mapped;
        iova = address;
        validate(newKey, access);
    }

    /**
     * Maps other memory than before, under the next variant of the key. No thread runs the port loop.
     *
     * @param pieces cut at page boundaries; an empty list for no memory
     * @param address address of the first byte in work requests
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}
     */
    public void remap(List<MemorySegment> pieces, long address, int access) {
        map(pieces);
        open(address, key() + 1, access);
    }

    /** Removes the mapping. No thread runs the port loop. */
    public void unmap() {
        shut();
    }

    /** Sets the segments of the region. No thread runs the port loop. */
    void follow(SegmentList pieces) {
        current = pieces;
    }

    /** Reverts {@link #open}: makes the region invalid. */
    public void shut() {
        setInvalid();
        current = SegmentList.NONE;
    }

    /**
     * True if only its deregistration changes it. A thread that does not own the port loop may use such a region while
     * it holds the lock of a link: a deregistration waits until these locks are free.
     */
    public boolean isFixed() {
        return fixed;
    }

    /** True if it is {@linkplain #isFixed fixed} and one memory segment. */
    public boolean isSimple() {
        return fixed && current.isSingle();
    }

    /** What users of the region may keep; null unless it is {@linkplain #isSimple simple}. */
    public @Nullable RecentRegion recent() {
        RecentRegion made = recent;
        if (made == null && isSimple()) {
            made = new RecentRegion(this);
            recent = made;
        }
        return made;
    }

    /** True if it is registered by work request. */
    public boolean isFast() {
        return fast;
    }

    /** Bytes of the memory for the next REG_MR. */
    public long mappedBytes() {
        return mapped.length();
    }

    /** True if the memory for the next REG_MR is read-only. */
    public boolean isMappedReadOnly() {
        return mapped.areReadOnly();
    }

    /** Number of windows bound to it. */
    int windows() {
        return windows;
    }

    /** {@return true while windows are bound to it: it must not change (IBA 10.6.7.2.6)} */
    public boolean hasWindows() {
        return windows > 0;
    }

    void addWindow() {
        windows++;
    }

    void removeWindow() {
        windows--;
    }

    @Override
    boolean isOpenTo(Object queuePair) {
        return true;
    }

    @Override
    public boolean contains(long address, long length) {
        return isWithin(address, length, iova, length()) && current.cover(address - iova, length);
    }

    @Override
    public long start() {
        return iova;
    }

    @Override
    public long length() {
        return current.length();
    }

    @Override
    public RegionKey region() {
        return this;
    }

    @Override
    public long toRegion(long address) {
        return address;
    }

    /** The memory segment that contains the byte at {@code address}; the address is inside. */
    public MemorySegment memory(long address) {
        return current.memory(current.indexOf(address - iova));
    }

    /** Offset of that byte in {@link #memory}. */
    public long offset(long address) {
        long offset = address - iova;
        return offset - current.start(current.indexOf(offset));
    }

    /** How many of {@code length} bytes from {@code address} on are in the same segment. */
    public int contiguous(long address, int length) {
        long offset = address - iova;
        return (int) Math.min(length, current.end(current.indexOf(offset)) - offset);
    }

    /**
     * False for memory that was mapped for other access than {@code access}, and after the application has closed the
     * arena of a segment, which it should do only after deregistration; {@code address} is inside.
     *
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag} that the region grants, 0 for local reads
     */
    public boolean admits(long address, int access) {
        return current.admit(address - iova, access);
    }

    /**
     * {@return true if {@code skb} refers to bytes of this region without a copy; also after it was revoked}
     *
     * @param skb any
     */
    public boolean isSentBy(SkBuff skb) {
        for (int i = 0; i < skb.shinfo().fragCount(); i++) {
            if (current.contain(skb.shinfo().fragMemory(i))) {
                return true;
            }
        }
        return false;
    }

    /** Makes what was written to a range persistent, where its memory is a mapped file. */
    public void force(long address, long length) {
        long done = 0;
        while (done < length) {
            long at = address + done;
            int part = contiguous(at, (int) Math.min(length - done, Integer.MAX_VALUE));
            MemorySegment memory = memory(at);
            if (memory.isMapped()) {
                memory.asSlice(offset(at), part).force();
            }
            done += part;
        }
    }
}
