// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that was allocated is found in its segment, and other memory is not. */
class OwnSegmentsTest {
    private static final int MOST_BYTES = 30_000;

    @TempDir
    Path temporary;

    private final List<Arena> arenas = new ArrayList<>();
    private final List<MemorySegment> given = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(3);
    private OwnSegments segments;

    @BeforeEach
    void open() throws IOException {
        segments = new OwnSegments(ShmDirectory.open(temporary.resolve("shm"), 1), 5);
    }

    @AfterEach
    void close() {
        segments.close();
        arenas.stream().filter(arena -> arena.scope().isAlive()).forEach(Arena::close);
    }

    private void give() throws IOException {
        Arena arena = Arena.ofShared();
        arenas.add(arena);
        given.add(segments.allocate(1 + random.nextInt(MOST_BYTES), 64, arena));
    }

    private void allAreFound() {
        for (int i = 0; i < given.size(); i++) {
            if (!arenas.get(i).scope().isAlive()) {
                continue;
            }
            MemorySegment memory = given.get(i);
            int bytes = (int) memory.byteSize();
            for (int at : new int[] {0, random.nextInt(bytes), bytes - 1}) {
                OwnSegments.Segment found = Objects.requireNonNull(segments.find(memory, at, 1));
                assertThat(found.memory().address() + found.offsetOf(memory, at))
                        .isEqualTo(memory.address() + at);
                assertThat(found.isGone()).isFalse();
                assertThat(found.number()).isEqualTo(i + 1);
            }
            assertThat(segments.find(memory, 0, bytes)).isNotNull();
            assertThat(segments.find(memory, 1, 1 << 20))
                    .as("more than there is")
                    .isNull();
        }
    }

    @Test
    void eachIsFoundAmongMany() throws IOException {
        for (int i = 0; i < 200; i++) {
            give();
        }
        allAreFound();
        MemorySegment elsewhere = Arena.ofAuto().allocate(100);
        assertThat(segments.find(elsewhere, 0, 100)).isNull();
        assertThat(segments.find(MemorySegment.NULL, 0, 0)).isNull();
        assertThat(segments.find(MemorySegment.ofAddress(Long.MAX_VALUE), 0, 0)).isNull();
    }

    /** The system reuses the addresses of closed segments, which are still in the list. */
    @Test
    void thoseThatAreGoneHideNobody() throws IOException {
        for (int i = 0; i < 400; i++) {
            give();
            if (i > 20 && random.nextInt(2) == 0) {
                Arena arena = arenas.get(random.nextInt(arenas.size()));
                if (arena.scope().isAlive()) {
                    arena.close();
                }
            }
        }
        allAreFound();
        for (OwnSegments.Segment gone = segments.findGone(); gone != null; gone = segments.findGone()) {
            segments.remove(gone);
        }
        allAreFound();
    }
}
