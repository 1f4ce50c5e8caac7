// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import java.lang.foreign.MemorySegment;

/**
 * The region that a queue pair used last, if it is {@linkplain RegionKey#isFixed fixed} and one memory segment. The
 * next use of the same key needs no lookup. The key was checked for the protection domain and the rights of one cursor.
 */
final class RecentRegion {
    private RegionKey region;
    private int key;
    private long start;
    private long length;
    private MemorySegment memory = MemorySegment.NULL;

    RecentRegion(RegionKey first) {
        region = first;
        set(first);
    }

    /** Sets the region. */
    void set(RegionKey next) {
        region = next;
        key = next.key();
        start = next.start();
        length = next.length();
        memory = next.memory(start);
    }

    /** True if a key denotes the region, and {@code bytes}, not negative, at {@code address} are inside. */
    boolean covers(int wanted, long address, long bytes) {
        long offset = address - start;
        return wanted == key && region.isValid() && offset >= 0 && bytes <= length - offset;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Offset of an address in {@link #memory}. */
    long offset(long address) {
        return address - start;
    }
}
