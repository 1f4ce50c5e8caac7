// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verbs as C programs use them; the programs check themselves. */
class VerbsOfCProgramsTest {
    private static final int SIGNALLED = 128;
    private static final int SIGINT = 2;
    private static final int ENDED_BY_HANDLER = 7;

    @Test
    @Covers({
        "DROPIN-7",
        "DROPIN-8",
        "DROPIN-9",
        "DROPIN-10",
        "DROPIN-11",
        "DROPIN-12",
        "DROPIN-13",
        "DROPIN-14",
        "DROPIN-15",
        "DROPIN-21",
        "DROPIN-22",
        "DROPIN-23",
        "DROPIN-24",
        "DROPIN-25",
        "DROPIN-50"
    })
    void twoQueuePairsOfOneProcessPassAllCases() throws Exception {
        List<String> lines = CPrograms.run("verbs").lines().toList();

        assertThat(lines.stream().filter(line -> line.startsWith("passed: "))).hasSize(17);
    }

    @Test
    @Covers({"DROPIN-16", "DROPIN-17", "DROPIN-18", "DROPIN-19"})
    void forksSmallStacksAndHandlersOfSignalsDoNoHarm() throws Exception {
        Path chaining = Path.of(System.getProperty("java.home"), "lib", "libjsig.so");

        assertThat(CPrograms.run("processes", Map.of("LD_PRELOAD", chaining.toString())))
                .contains("passed\n")
                .containsOnlyOnce("verbs do not work in this process: fork() made it after");
        assertThat(leftInRunDirectory()).isEmpty();
    }

    @Test
    @Covers({"DROPIN-17", "DROPIN-20"})
    void aDeviceInUseIsBusyAndAnInterruptEndsAProgramThatDoesNotHandleIt() throws Exception {
        try (DatagramSocket holder = new DatagramSocket(new InetSocketAddress("127.0.0.97", 0))) {
            String devices = "busy=udp:127.0.0.97:" + holder.getLocalPort() + ",free=udp:lo";
            Process process = CPrograms.start("processes", Map.of("RDMA4J_DEVICES", devices), "interrupt");
            String said = CPrograms.output(process);

            assertThat(process.exitValue()).as(said).isEqualTo(SIGNALLED + SIGINT);
        }
    }

    @Test
    @Covers("DROPIN-54")
    void aHandlerThatInterruptsAVerbGetsAnErrorAndMayEndTheProcess(@TempDir Path run) throws Exception {
        Process process = CPrograms.start("processes", Map.of("RDMA4J_RUN", run.toString()), "handler");
        String said = CPrograms.output(process);

        assertThat(process.exitValue()).as(said).isEqualTo(ENDED_BY_HANDLER);
    }

    private static List<Path> leftInRunDirectory() throws IOException {
        Path run = Path.of("target/native/run");
        if (!Files.exists(run)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(run)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
