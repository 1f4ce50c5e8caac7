// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.packet.SkBuff;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Memory of this process that its peers can map. Each segment is a file of its own and exists until its arena is
 * closed.
 */
final class OwnSegments {
    /**
     * One segment.
     *
     * @param number that identifies the segment to peers
     * @param memory mapped into the arena of the application
     * @param address of the first byte in this process
     * @param bytes size of the mapping
     */
    record Segment(int number, MemorySegment memory, long address, long bytes) {
        /** Returns the offset in this segment of byte {@code offset} of {@code part}. */
        long offsetOf(MemorySegment part, long offset) {
            return part.address() + offset - address;
        }

        private boolean holds(long from, long length) {
            return from >= address && from - address <= bytes - length;
        }

        boolean isGone() {
            return !memory.scope().isAlive();
        }
    }

    private final ShmDirectory directory;
    private final long owner;

    /** Sorted by address: each message with a payload searches for its segment. */
    private volatile Segment[] segments = {};

    private int last;

    OwnSegments(ShmDirectory directory, long owner) {
        this.directory = directory;
        this.owner = owner;
    }

    /**
     * Allocates memory filled with zeros. Any thread.
     *
     * @param alignment a power of two, bytes
     * @throws IOException if shared memory is full, or {@link PeerSegments#MAX_SEGMENTS} is reached
     */
    synchronized MemorySegment allocate(long bytes, long alignment, Arena arena) throws IOException {
        // Numbers are not reused: a peer may still refer to a segment that is unmapped here.
        int number = last + 1;
        if (number == PeerSegments.MAX_SEGMENTS) {
            throw new IOException(
                    "peers map the first " + last + " pieces of memory that a device gives out, and no more");
        }
        last = number;
        // Mappings begin on page boundaries. For a larger alignment the mapping has spare bytes in front.
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

    /**
     * Returns the segment that contains {@code length} bytes from {@code offset} of {@code memory}; null if none does.
     * Any thread; allocates nothing.
     */
    @Nullable
    Segment find(MemorySegment memory, long offset, long length) {
        Segment[] all = segments;
        long from = memory.address() + offset;
        int last = behind(all, from) - 1;
        // The addresses of a closed segment may belong to a newer segment, which begins at a lower or the same address.
        while (last >= 0 && all[last].isGone()) {
            last--;
        }
        return last >= 0 && all[last].holds(from, length) ? all[last] : null;
    }

    /** Returns the number of segments that begin at or before an address. */
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

    /** Returns true if all fragments of a packet are in segments. Any thread; allocates nothing. */
    boolean hold(SkBuff skb) {
        for (int i = 0; i < skb.shinfo().fragCount() && !isEmpty(); i++) {
            if (find(
                            skb.shinfo().fragMemory(i),
                            skb.shinfo().fragOffset(i),
                            skb.shinfo().fragLength(i))
                    == null) {
                return false;
            }
        }
        return !isEmpty();
    }

    /** Returns the first segment whose arena is closed; null if there is none. */
    @Nullable
    Segment findGone() {
        for (Segment segment : segments) {
            if (segment.isGone()) {
                return segment;
            }
        }
        return null;
    }

    /** Removes a segment whose arena is closed, and deletes its file. */
    @SuppressWarnings("ReferenceEquality") // identity
    synchronized void remove(Segment gone) {
        segments = Arrays.stream(segments).filter(segment -> segment != gone).toArray(Segment[]::new);
        directory.delete(owner, gone.number());
    }

    /** Deletes all files. Existing mappings stay valid. */
    synchronized void close() {
        for (Segment segment : segments) {
            directory.delete(owner, segment.number());
        }
        segments = new Segment[0];
    }
}
