// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer's segment is mapped as soon as its file exists and has its size. */
class PeerSegmentsTest {
    private static final long OWNER = 5;
    private static final int BYTES = 8192;

    @TempDir
    Path temporary;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        arena.close();
    }

    private ShmDirectory directory() throws IOException {
        return ShmDirectory.open(temporary.resolve("shm"), 1);
    }

    @Test
    void mapsAheadWhatThePeerHasMade() throws IOException {
        ShmDirectory directory = directory();
        MemorySegment made = directory.create(OWNER, 1, BYTES, arena);
        directory.create(OWNER, 2, BYTES, arena);
        PeerSegments segments = new PeerSegments(directory, OWNER);
        segments.mapAhead();
        // Existing mappings stay valid after the file is deleted.
        directory.delete(OWNER, 1);
        made.set(ValueLayout.JAVA_BYTE, 7, (byte) 9);
        MemorySegment seen = Objects.requireNonNull(segments.get(1));
        assertThat(seen.byteSize()).isEqualTo(BYTES);
        assertThat(seen.get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) 9);
        assertThat(segments.get(3)).isNull();
        segments.close();
    }

    @Test
    void waitsForTheSizeOfOneThatIsBeingMade() throws IOException {
        ShmDirectory directory = directory();
        directory.create(OWNER, 1, BYTES, arena);
        Path file = onlyFile();
        byte[] content = Files.readAllBytes(file);
        Files.write(file, new byte[0]);
        PeerSegments segments = new PeerSegments(directory, OWNER);
        segments.mapAhead();
        assertThat(segments.get(1)).isNull();
        Files.write(file, content);
        assertThat(Objects.requireNonNull(segments.get(1)).byteSize()).isEqualTo(BYTES);
        segments.close();
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> all = Files.list(temporary.resolve("shm"))) {
            List<Path> files = all.toList();
            assertThat(files).hasSize(1);
            return files.getFirst();
        }
    }
}
