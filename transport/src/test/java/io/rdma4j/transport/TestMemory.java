// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.local.KeyPage;
import io.rdma4j.base.local.PeerMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Memory into which the peer may store, as a process publishes it. */
final class TestMemory implements PeerMemory {
    private final MemorySegment page = Arena.ofAuto().allocate(KeyPage.BYTES, 64);
    private final List<MemorySegment> segments = new ArrayList<>();

    /** Publishes a region. */
    void add(int domain, int rkey, MemorySegment memory, long iova) {
        segments.add(memory);
        KeyPage.add(page, domain, rkey, iova, memory.byteSize(), segments.size() - 1, 0);
    }

    void remove(int rkey) {
        KeyPage.remove(page, rkey);
    }

    @Override
    public MemorySegment keys() {
        return page;
    }

    @Override
    public @Nullable MemorySegment segment(int number) {
        return segments.get(number);
    }
}
