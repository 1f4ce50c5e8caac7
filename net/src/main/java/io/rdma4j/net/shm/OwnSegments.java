package io.rdma4j.net.shm;

import io.rdma4j.packet.SkBuff;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Memory of this process that its peers can map: each piece is a file of its own, until the arena that it was allocated in is closed. */
final class OwnSegments {
    /**
     * One of them.
     *
     * @param number by which peers know it
     * @param memory mapped into the program's arena
     * @param address where it begins in this process
     * @param bytes its size
     */
    record Segment(int number, MemorySegment memory, long address, long bytes) {
        /** Where in it a byte of {@code part} lies. */
        long offsetOf(MemorySegment part, long offset) {
            return part.address() + offset - address;
        }

        private boolean holds(long from, int length) {
            return from >= address && from - address <= bytes - length;
        }

        boolean isGone() {
            return !memory.scope().isAlive();
        }
    }

    private final ShmDirectory directory;
    private final long owner;

    /** By address: each message with a payload looks for the one that holds it. */
    private volatile Segment[] segments = {};

    private int last;

    OwnSegments(ShmDirectory directory, long owner) {
        this.directory = directory;
        this.owner = owner;
    }

    /**
     * Memory filled with zeros. Any thread.
     *
     * @param alignment a power of two, bytes
     * @throws IOException if there is no room for it, or peers would not map it
     */
    synchronized MemorySegment allocate(long bytes, long alignment, Arena arena) throws IOException {
        // A number is not used again: a peer may not have heard yet that the memory behind it is gone.
        int number = last + 1;
        if (number == PeerSegments.MAX_SEGMENTS) {
            throw new IOException(
                    "peers map the first " + last + " pieces of memory that a device gives out, and no more");
        }
        last = number;
        // Mappings begin on pages; beyond that, some of it is left out.
        long spare = Math.max(0, alignment - ShmDirectory.PAGE_BYTES);
        MemorySegment memory = directory.create(owner, number, bytes + spare, arena);
        Segment[] more = Arrays.copyOf(segments, segments.length + 1);
        more[segments.length] = new Segment(number, memory, memory.address(), memory.byteSize());
        Arrays.sort(more, Comparator.comparingLong(Segment::address));
        segments = more;
        return memory.asSlice(-memory.address() & alignment - 1, bytes, alignment);
    }

    boolean isEmpty() {
        return segments.length == 0;
    }

    /** The one that holds {@code length} bytes from {@code offset} of {@code memory} on; null if none does. Any thread; allocates nothing. */
    @Nullable
    Segment find(MemorySegment memory, long offset, int length) {
        Segment[] all = segments;
        long from = memory.address() + offset;
        int last = behind(all, from) - 1;
        // Where one was whose arena is closed there may be another one, which begins before it.
        while (last >= 0 && all[last].isGone()) {
            last--;
        }
        return last >= 0 && all[last].holds(from, length) ? all[last] : null;
    }

    /** The number of those that begin at an address or before it. */
    private static int behind(Segment[] all, long address) {
        int low = 0;
        int high = all.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all[middle].address <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** True if all fragments of a packet lie in them. Any thread; allocates nothing. */
    boolean hold(SkBuff skb) {
        for (int i = 0; i < skb.fragCount() && !isEmpty(); i++) {
            if (find(skb.fragMemory(i), skb.fragOffset(i), skb.fragLength(i)) == null) {
                return false;
            }
        }
        return !isEmpty();
    }

    /** The first one whose arena was closed; null if there is none. */
    @Nullable
    Segment findGone() {
        for (Segment segment : segments) {
            if (segment.isGone()) {
                return segment;
            }
        }
        return null;
    }

    /** Deletes the file of one that is gone. */
    @SuppressWarnings("ReferenceEquality") // a segment is itself
    synchronized void remove(Segment gone) {
        segments = Arrays.stream(segments).filter(segment -> segment != gone).toArray(Segment[]::new);
        directory.delete(owner, gone.number());
    }

    /** Deletes all files; memory that is mapped stays. */
    synchronized void close() {
        for (Segment segment : segments) {
            directory.delete(owner, segment.number());
        }
        segments = new Segment[0];
    }
}
