// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The memory segments of a region, one after another; segments that were mapped for DMA may have gaps between them.
 * Immutable.
 */
final class SegmentList {
    static final SegmentList NONE = new SegmentList(List.of());

    /** Offset in the region of the first byte of each segment. */
    private final long[] starts;

    private final MemorySegment[] memories;

    /** Offset in the region of the first byte behind each segment. */
    private final long[] ends;

    /** The DMA mapping of each segment; null unless they were mapped for DMA, with gaps between them. */
    private final DmaEntry @Nullable [] entries;

    /** The scopes of the segments without duplicates: pages of one arena share theirs. */
    private final MemorySegment.Scope[] scopes;

    /** Creates a list without gaps. */
    SegmentList(List<MemorySegment> list) {
        this(list, startsOf(list), null);
    }

    /** @param byStart in ascending order; they neither overlap nor touch */
    SegmentList(SortedMap<Long, DmaEntry> byStart) {
        this(
                byStart.values().stream().map(DmaEntry::memory).toList(),
                byStart.keySet().stream().mapToLong(Long::longValue).toArray(),
                byStart.values().toArray(DmaEntry[]::new));
    }

    private SegmentList(List<MemorySegment> list, long[] starts, DmaEntry @Nullable [] entries) {
        this.memories = list.toArray(MemorySegment[]::new);
        this.starts = starts;
        this.entries = entries;
        this.ends = new long[starts.length];
        for (int i = 0; i < starts.length; i++) {
            ends[i] = starts[i] + memories[i].byteSize();
        }
        scopes = list.stream().map(MemorySegment::scope).distinct().toArray(MemorySegment.Scope[]::new);
    }

    private static long[] startsOf(List<MemorySegment> list) {
        long[] starts = new long[list.size()];
        for (int i = 1; i < starts.length; i++) {
            starts[i] = starts[i - 1] + list.get(i - 1).byteSize();
        }
        return starts;
    }

    /** True if each of {@code length} bytes from {@code offset} on is in a segment; both are within {@link #length}. */
    boolean cover(long offset, long length) {
        if (entries == null) {
            return true;
        }
        if (ends.length == 0) {
            return length == 0;
        }
        int index = indexOf(offset);
        return offset >= starts[index] && length <= ends[index] - offset;
    }

    /** Bytes from the start of the region to the end of the last segment. */
    long length() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    /** Index of the segment that contains the byte at {@code offset}; it is inside. */
    int indexOf(long offset) {
        int low = 0;
        int high = ends.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (offset < ends[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    MemorySegment memory(int index) {
        return memories[index];
    }

    /** Offset in the region of the first byte of a segment. */
    long start(int index) {
        return starts[index];
    }

    /** Offset in the region of the first byte behind a segment. */
    long end(int index) {
        return ends[index];
    }

    /**
     * True if all segments may still be used. Segments that were mapped for DMA are independent: the one at
     * {@code offset} is checked, with its direction.
     *
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}, 0 for local reads
     */
    boolean admit(long offset, int access) {
        if (entries != null) {
            return entries[indexOf(offset)].admits(access);
        }
        for (MemorySegment.Scope scope : scopes) {
            if (!scope.isAlive()) {
                return false;
            }
        }
        return true;
    }

    /** True if a segment is read-only. */
    boolean areReadOnly() {
        for (MemorySegment memory : memories) {
            if (memory.isReadOnly()) {
                return true;
            }
        }
        return false;
    }

    /** True if it has exactly one segment, without a DMA mapping. */
    boolean isSingle() {
        return memories.length == 1 && entries == null;
    }

    /** True if {@code memory} is one of the segments. */
    boolean contain(MemorySegment memory) {
        for (MemorySegment piece : memories) {
            if (piece.equals(memory)) {
                return true;
            }
        }
        return false;
    }
}
