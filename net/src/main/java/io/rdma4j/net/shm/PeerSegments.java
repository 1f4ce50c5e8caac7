package io.rdma4j.net.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Memory of a peer that is mapped here, to be read only. For one thread at a time; allocates nothing but when one is seen first. */
final class PeerSegments {
    /** Numbers are less than that, so that nobody can make us map without end. */
    static final int MAX_SEGMENTS = 4096;

    private static final int MAPPED_AHEAD = 8;

    private record Mapping(Arena arena, MemorySegment memory) {}

    private final ShmDirectory directory;
    private final long owner;
    private @Nullable Mapping[] mappings = {};
    private final List<Mapping> forgotten = new ArrayList<>();

    /** @param owner whose they are */
    PeerSegments(ShmDirectory directory, long owner) {
        this.directory = directory;
        this.owner = owner;
    }

    /** The one with a number; null if there is none. */
    @Nullable
    MemorySegment get(int number) {
        Mapping known = number >= 0 && number < mappings.length ? mappings[number] : null;
        if (known == null) {
            known = map(number);
        }
        return known == null ? null : known.memory;
    }

    /** Maps the first ones that the peer has made, so that no message has to wait for that. */
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
            Mapping mapping = new Mapping(arena, directory.map(owner, number, arena));
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

    /** The peer does not have it any more; it stays mapped until {@link #release}, because buffers may point into it. */
    void forget(int number) {
        Mapping known = number >= 0 && number < mappings.length ? mappings[number] : null;
        if (known != null) {
            mappings[number] = null;
            forgotten.add(known);
        }
    }

    /** No buffer points into any of them: those that were forgotten go. */
    void release() {
        if (!forgotten.isEmpty()) {
            forgotten.forEach(mapping -> mapping.arena.close());
            forgotten.clear();
        }
    }

    /** All go; no buffer points into them. */
    void close() {
        for (int i = 0; i < mappings.length; i++) {
            forget(i);
        }
        release();
    }
}
