// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Segments of a peer, mapped read-only into this process. For one thread at a time. Allocates only when it maps a
 * segment.
 */
final class PeerSegments {
    /** Upper limit of segment numbers: bounds the memory that a peer can make this process map. */
    static final int MAX_SEGMENTS = 4096;

    private static final int MAPPED_AHEAD = 8;

    private record Mapping(Arena arena, MemorySegment memory) {}

    private final ShmDirectory directory;
    private final long owner;
    private @Nullable Mapping[] mappings = {};
    private final List<Mapping> forgotten = new ArrayList<>();

    /** The same segments, mapped for writing. */
    private final WritableSegments writable;

    /** @param owner number of the peer */
    PeerSegments(ShmDirectory directory, long owner) {
        this.directory = directory;
        this.owner = owner;
        this.writable = new WritableSegments(directory, owner);
    }

    WritableSegments writable() {
        return writable;
    }

    /** Returns a segment, and maps it if necessary; null if it does not exist. */
    @Nullable
    MemorySegment get(int number) {
        Mapping known = number >= 0 && number < mappings.length ? mappings[number] : null;
        if (known == null) {
            known = map(number);
        }
        return known == null ? null : known.memory;
    }

    /** Maps the first segments of the peer in advance, so that no message waits for it. */
    void mapAhead() {
        int number = 1;
        while (number <= MAPPED_AHEAD && get(number) != null) {
            number++;
        }
    }

    private @Nullable Mapping map(int number) {
        if (number < 0 || number >= MAX_SEGMENTS) {
            return null;
        }
        Arena arena = Arena.ofShared();
        try {
            Mapping mapping = new Mapping(arena, directory.map(owner, number, /* writable= */ false, arena));
            if (number >= mappings.length) {
                mappings = Arrays.copyOf(mappings, number + 1);
            }
            mappings[number] = mapping;
            return mapping;
        } catch (IOException e) {
            arena.close();
            return null;
        }
    }

    /**
     * Handles that the peer has freed a segment. It stays mapped until {@link #release}, because buffers may refer to
     * it.
     */
    void forget(int number) {
        writable.forget(number);
        Mapping known = number >= 0 && number < mappings.length ? mappings[number] : null;
        if (known != null) {
            mappings[number] = null;
            forgotten.add(known);
        }
    }

    /** Unmaps forgotten segments. The caller ensures that no buffer refers to any of them. */
    void release() {
        if (!forgotten.isEmpty()) {
            forgotten.forEach(mapping -> mapping.arena.close());
            forgotten.clear();
        }
    }

    /** Unmaps all segments. The caller ensures that no buffer refers to them. */
    void close() {
        writable.close();
        for (int i = 0; i < mappings.length; i++) {
            forget(i);
        }
        release();
    }
}
