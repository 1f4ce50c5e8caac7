// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import java.lang.foreign.MemorySegment;

/**
 * A {@linkplain RegionKey#isFixed fixed} region of one memory segment, with what each use needs. A queue pair keeps
 * that of the region that it used last: the next use of the same key needs no lookup. The key was checked for the
 * protection domain and the rights of one user.
 */
public final class RecentRegion {
    private final RegionKey region;
    private final int key;
    private final long start;
    private final long length;
    private final MemorySegment memory;

    RecentRegion(RegionKey region) {
        this.region = region;
        key = region.key();
        start = region.start();
        length = region.length();
        memory = region.memory(start);
    }

    /** True if a key denotes the region, and {@code bytes}, not negative, at {@code address} are inside. */
    public boolean covers(int wanted, long address, long bytes) {
        long offset = address - start;
        return wanted == key && region.isValid() && offset >= 0 && bytes <= length - offset;
    }

    public MemorySegment memory() {
        return memory;
    }

    /** Offset of an address in {@link #memory}. */
    public long offset(long address) {
        return address - start;
    }
}
