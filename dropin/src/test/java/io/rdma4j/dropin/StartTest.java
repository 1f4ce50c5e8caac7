// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a program waits for until its first verb has returned. Times depend on the machine, so the classes are counted
 * that the JVM loads; {@code ./rdma4j dropin --suite} prints the time.
 */
class StartTest {
    /** About a third more than there are. */
    private static final int MAX_CLASSES = 2100;

    /** Likewise. A call stub of another shape takes ten or more of them, and milliseconds. */
    private static final int MAX_GENERATED_CLASSES = 200;

    @TempDir
    private Path directory;

    private List<String> loaded;

    @BeforeEach
    void list() throws Exception {
        Path log = directory.resolve("classes");
        assertThat(CPrograms.run("list", Map.of("RDMA4J_JVM_OPTIONS", "-Xlog:class+load=info:file=" + log)))
                .isEqualTo("drop0\n");
        try (Stream<String> lines = Files.lines(log)) {
            loaded = lines.filter(line -> line.contains(" source: ")).toList();
        }
    }

    @Test
    @Covers("DROPIN-52")
    void fewClassesAreLoadedBeforeTheFirstVerbReturns() {
        assertThat(loaded).hasSizeBetween(1, MAX_CLASSES);
    }

    @Test
    @Covers("DROPIN-52")
    void fewClassesAreGeneratedBeforeTheFirstVerbReturns() {
        assertThat(loaded.stream().filter(line -> line.contains("/0x"))).hasSizeBetween(1, MAX_GENERATED_CLASSES);
    }
}
