// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of devices that a program finds in sysfs and below /dev. */
class DeviceFilesTest {
    private static final int KILLED = 128 + 9;

    @TempDir
    private Path run;

    private Process start(Map<String, String> environment, String how) throws Exception {
        return CPrograms.start("paths", environment, how);
    }

    private Map<String, String> preloaded() {
        return Map.of("LD_PRELOAD", "libibverbs.so.1", "RDMA4J_RUN", run.toString());
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.walk(run)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    @Covers({"DROPIN-40", "DROPIN-41"})
    void aProgramFindsTheDevicesAndTheNextOneRemovesTheFilesOfAKilledOne() throws Exception {
        Process killed = start(preloaded(), "killed");
        String said = CPrograms.output(killed);

        assertThat(killed.exitValue()).as(said).isEqualTo(KILLED);
        assertThat(left()).isNotEmpty();

        assertThat(CPrograms.output(start(preloaded(), "preloaded"))).endsWith("passed\n");
        assertThat(left()).isEmpty();
    }

    @Test
    @Covers("DROPIN-40")
    void withoutPreloadingPathsAreThoseOfTheKernel() throws Exception {
        assertThat(CPrograms.output(start(Map.of("RDMA4J_RUN", run.toString()), "plain")))
                .endsWith("passed\n");
        assertThat(left()).isEmpty();
    }
}
