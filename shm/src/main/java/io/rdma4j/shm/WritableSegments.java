// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Segments of a peer, mapped for reading and writing, so that threads which post WRITEs can store into them. Any
 * thread. Allocates only when it maps a segment.
 */
final class WritableSegments {
    /** Calls that follow a failure and do not try to map a segment. */
    private static final int SKIPPED_CALLS = 4096;

    private record Mapping(Arena arena, MemorySegment memory) {}

    private final ShmDirectory directory;
    private final long owner;
    private volatile @Nullable Mapping[] mappings = {};
    private boolean closed;
    private int skips;

    /** @param owner number of the peer */
    WritableSegments(ShmDirectory directory, long owner) {
        this.directory = directory;
        this.owner = owner;
    }

    /** Returns a segment, and maps it if necessary; null if that is not possible. */
    @Nullable
    MemorySegment get(int number) {
        @Nullable Mapping[] all = mappings;
        Mapping known = number >= 0 && number < all.length ? all[number] : null;
        return known == null ? map(number) : known.memory;
    }

    private synchronized @Nullable MemorySegment map(int number) {
        if (closed || number < 0 || number >= PeerSegments.MAX_SEGMENTS || skips > 0) {
            skips--;
            return null;
        }
        Arena arena = Arena.ofShared();
        try {
            Mapping mapping = new Mapping(arena, directory.map(owner, number, /* writable= */ true, arena));
            @Nullable Mapping[] more = Arrays.copyOf(mappings, Math.max(mappings.length, number + 1));
            more[number] = mapping;
            mappings = more;
            return mapping.memory;
        } catch (IOException e) {
            arena.close();
            skips = SKIPPED_CALLS;
            return null;
        }
    }

    /** Unmaps a segment that the peer has freed. A thread that stores into it gets an {@link IllegalStateException}. */
    synchronized void forget(int number) {
        @Nullable Mapping[] all = mappings;
        Mapping known = number >= 0 && number < all.length ? all[number] : null;
        if (known != null) {
            @Nullable Mapping[] less = all.clone();
            less[number] = null;
            mappings = less;
            known.arena.close();
        }
    }

    /** Unmaps all segments, and maps none from now on. */
    synchronized void close() {
        closed = true;
        for (int i = 0; i < mappings.length; i++) {
            forget(i);
        }
    }
}
