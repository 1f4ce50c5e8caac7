package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A memory region: one piece of memory, or several that follow one another in its address space. Answers to {@code rxe_mr}.
 *
 * <p>An ordinary region is valid from registration to deregistration. A fast-registered one ({@code IB_MR_TYPE_MEM_REG})
 * becomes valid by a REG_MR work request, which takes over what was {@link #map mapped} last, and invalid by LOCAL_INV or
 * the peer's SEND with invalidate. One of the older fast kind ({@code ib_fmr}) does so by {@link #remap} and {@link #unmap}.
 */
public final class RegionKey extends MemoryKey {
    private final boolean fast;

    /** Of a DMA region; null for others. */
    private final @Nullable DmaSpace space;

    private volatile Pieces mapped = Pieces.NONE;
    private Pieces current = Pieces.NONE;
    private long iova;
    private int windows;

    /** A region that is registered once. */
    RegionKey(int key, Object protectionDomain, List<MemorySegment> pieces, long iova, int access) {
        super(key, protectionDomain);
        this.fast = false;
        this.space = null;
        map(pieces);
        open(iova, key, access);
    }

    /** A region of all that is mapped in a space; {@link #follow} tells it what that is. */
    RegionKey(int key, Object protectionDomain, DmaSpace space, int access) {
        super(key, protectionDomain);
        this.fast = false;
        this.space = space;
        open(0, key, access);
    }

    /** No packet's memory is looked for in it any more: its space changes without it. */
    void leaveSpace() {
        if (space != null) {
            space.detach(this);
        }
    }

    /** The region that the key means in a protection domain: itself, and for the reserved key, that of the domain's context; null if that has none. */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // a marker is itself
    RegionKey inDomain(Object domain) {
        if (protectionDomain() != ANY_DOMAIN) {
            return this;
        }
        return domain instanceof DmaUser user ? user.dmaSpace().reserved() : null;
    }

    /** A region that shows nothing yet; {@code fast}: it is registered by work request, else by call. */
    RegionKey(int key, Object protectionDomain, boolean fast) {
        super(key, protectionDomain);
        this.fast = fast;
        this.space = null;
    }

    /**
     * Says what the next REG_MR is about ({@code ib_map_mr_sg}). Any thread; the pieces stay as they are.
     *
     * @param pieces cut at page borders
     */
    public void map(List<MemorySegment> pieces) {
        mapped = new Pieces(pieces);
    }

    /** Makes what was mapped accessible from {@code address} on. */
    void open(long address, int newKey, int access) {
        current = mapped;
        iova = address;
        validate(newKey, access);
    }

    /**
     * Shows other memory than before, under the next variant of its key; nobody is in the port loop.
     *
     * @param pieces cut at page borders; none for nothing
     * @param address what work requests call the first byte
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag}
     */
    public void remap(List<MemorySegment> pieces, long address, int access) {
        map(pieces);
        open(address, key() + 1, access);
    }

    /** Shows nothing any more; nobody is in the port loop. */
    public void unmap() {
        shut();
    }

    /** From now on it consists of what is mapped now; nobody is in the port loop. */
    void follow(Pieces pieces) {
        current = pieces;
    }

    /** Ends what {@link #open} began. */
    void shut() {
        setInvalid();
        current = Pieces.NONE;
    }

    /** True if it is registered by work request. */
    boolean isFast() {
        return fast;
    }

    /** Bytes that the next REG_MR is about. */
    long mappedBytes() {
        return mapped.length();
    }

    /** True if the next REG_MR is about memory that must not be written. */
    boolean isMappedReadOnly() {
        return mapped.areReadOnly();
    }

    /** How many windows are bound to it. */
    int windows() {
        return windows;
    }

    /** {@return true while windows are bound to it: it must stay as it is (IBA 10.6.7.2.6)} */
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
    boolean contains(long address, long length) {
        return isWithin(address, length, iova, length()) && current.cover(address - iova, length);
    }

    @Override
    long start() {
        return iova;
    }

    @Override
    long length() {
        return current.length();
    }

    @Override
    RegionKey region() {
        return this;
    }

    @Override
    long toRegion(long address) {
        return address;
    }

    /** The memory that the byte at {@code address} lies in; the address is inside. */
    MemorySegment memory(long address) {
        return current.memory(current.indexOf(address - iova));
    }

    /** Where in {@link #memory} that byte lies. */
    long offset(long address) {
        long offset = address - iova;
        return offset - current.start(current.indexOf(offset));
    }

    /** How many of {@code length} bytes from {@code address} on lie in the same memory. */
    int contiguous(long address, int length) {
        long offset = address - iova;
        return (int) Math.min(length, current.end(current.indexOf(offset)) - offset);
    }

    /**
     * False for memory that was mapped for something else than {@code access}, and once the application has closed the arena of
     * some of it, which it should not do before it deregisters; {@code address} is inside.
     *
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag} that the region grants, 0 for local reads
     */
    boolean admits(long address, int access) {
        return current.admit(address - iova, access);
    }

    /**
     * {@return true if {@code skb} carries bytes of this region that were not copied; also after it was revoked}
     *
     * @param skb any
     */
    public boolean isSentBy(SkBuff skb) {
        for (int i = 0; i < skb.fragCount(); i++) {
            if (current.contain(skb.fragMemory(i))) {
                return true;
            }
        }
        return false;
    }

    /** Makes what was written to a range lasting, where its memory is a mapped file. */
    void force(long address, long length) {
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
