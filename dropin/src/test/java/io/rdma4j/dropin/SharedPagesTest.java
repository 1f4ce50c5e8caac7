// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.server.UverbsServer;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.local.RunDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program in C on a device that this process serves. */
class SharedPagesTest {
    private static final String NAME = "served0";

    @TempDir
    private Path run;

    private String play(String sharing, String expected) throws Exception {
        try (Host host = Host.create("server")) {
            host.register(new RxeProvider(List.of(DeviceSpec.parse(NAME + "=udp:lo")), RxeOptions.DEFAULT));
            try (UverbsServer server = UverbsServer.open(host.devices().getFirst(), new RunDirectory(run))) {
                assertThat(server.entry()).exists();
                return CPrograms.output(CPrograms.start(
                        "shared",
                        Map.of("RDMA4J_RUN", run.toString(), "RDMA4J_DROPIN_SHARED_PAGES", sharing),
                        NAME,
                        expected));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", ""})
    @Covers("DROPIN-48")
    void memoryOfAProgramIsSharedWithTheProcessThatServesTheDevice(String sharing) throws Exception {
        assertThat(play(sharing, "moved")).endsWith("passed\n");
    }

    /** The program checks its memory in {@code pages.c}. */
    @ParameterizedTest
    @ValueSource(strings = {"on", ""})
    @Covers("DROPIN-49")
    void pagesMoveAndComeBackAndNoWriteIsLost(String sharing) throws Exception {
        Path chaining = Path.of(System.getProperty("java.home"), "lib", "libjsig.so");
        Map<String, String> environment =
                Map.of("RDMA4J_DROPIN_SHARED_PAGES", sharing, "RDMA4J_SHM", "on", "LD_PRELOAD", chaining.toString());
        Process process = sharing.isEmpty()
                ? CPrograms.start("pages", environment)
                : CPrograms.start("pages", environment, sharing);
        assertThat(CPrograms.output(process)).endsWith("passed\n");
    }

    /** Without shared memory the pages stay where they are. */
    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @Covers("DROPIN-48")
    void regionsOfAnOwnDeviceAreSharedWithPeers(String sharedMemory) throws Exception {
        String lines = CPrograms.run("verbs", Map.of("RDMA4J_DROPIN_SHARED_PAGES", "on", "RDMA4J_SHM", sharedMemory));
        assertThat(lines.lines().filter(line -> line.startsWith("passed: "))).hasSize(17);
    }

    @Test
    @Covers("DROPIN-48")
    void memoryIsNotSharedIfTheUserForbidsIt() throws Exception {
        assertThat(play("off", "refused"))
                .contains("RDMA4J_DROPIN_SHARED_PAGES=on shares the pages with the process that serves the device")
                .endsWith("passed\n");
    }
}
