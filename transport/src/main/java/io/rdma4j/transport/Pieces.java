package io.rdma4j.transport;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** The memories that a region consists of, one after another. Immutable. */
final class Pieces {
    static final Pieces NONE = new Pieces(List.of());

    private final MemorySegment[] memories;

    /** Offset in the region of the first byte behind each. */
    private final long[] ends;

    /** How long they live, each lifetime once: pages of one arena share theirs. */
    private final MemorySegment.Scope[] scopes;

    Pieces(List<MemorySegment> list) {
        memories = list.toArray(MemorySegment[]::new);
        ends = new long[memories.length];
        long end = 0;
        for (int i = 0; i < memories.length; i++) {
            end += memories[i].byteSize();
            ends[i] = end;
        }
        scopes = list.stream().map(MemorySegment::scope).distinct().toArray(MemorySegment.Scope[]::new);
    }

    /** Bytes of all. */
    long length() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    /** Which one the byte at {@code offset} lies in; it is inside. */
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

    /** Offset in the region of the first byte of one. */
    long start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** Offset in the region of the first byte behind one. */
    long end(int index) {
        return ends[index];
    }

    /** True if all of them may still be used. */
    boolean areAlive() {
        for (MemorySegment.Scope scope : scopes) {
            if (!scope.isAlive()) {
                return false;
            }
        }
        return true;
    }

    /** True if {@code memory} is one of them. */
    boolean contain(MemorySegment memory) {
        for (MemorySegment piece : memories) {
            if (piece.equals(memory)) {
                return true;
            }
        }
        return false;
    }
}
