// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.reporting.FileEntry;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.LauncherConstants;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the sample classes below, which the build does not run, and checks what their tests leave behind. */
class FabricLifecycleTest {
    @TempDir
    private Path directory;

    private final Events events = new Events();

    /** What JUnit reports, by the name of the test. */
    private static final class Events implements TestExecutionListener {
        final Map<String, TestExecutionResult> results = new TreeMap<>();
        final Map<String, List<Path>> files = new TreeMap<>();
        final List<String> entries = new ArrayList<>();

        @Override
        public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
            results.put(test.getDisplayName(), result);
        }

        @Override
        public synchronized void fileEntryPublished(TestIdentifier test, FileEntry file) {
            files.computeIfAbsent(test.getDisplayName(), _ -> new ArrayList<>()).add(file.getPath());
        }

        @Override
        public synchronized void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
            entries.addAll(entry.getKeyValuePairs().values());
        }

        /** The failure of a test. */
        Throwable failure(String test) {
            return result(test).getThrowable().orElseThrow();
        }

        TestExecutionResult result(String test) {
            return Objects.requireNonNull(results.get(test), test);
        }
    }

    private void run(Class<?> sample, Map<String, String> configuration) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(sample))
                                .configurationParameter(
                                        LauncherConstants.OUTPUT_DIR_PROPERTY_NAME, directory.toString())
                                .configurationParameters(configuration)
                                .build(),
                        events);
    }

    private Path file(String test, String name) {
        return events.files.getOrDefault(test, List.of()).stream()
                .filter(file -> file.endsWith(name))
                .findFirst()
                .orElseThrow();
    }

    @RdmaFabric(loss = 0.05, seed = 7)
    static class FailingSample {
        @Test
        void fails(Fabric fabric, QpPair pair) {
            Transfers.run(pair, 40);
            fail("wrong data, " + fabric.retransmissions());
        }

        @Test
        void passes(QpPair pair) {
            Transfers.run(pair, 1);
        }

        @Test
        void isAborted() {
            abort();
        }
    }

    @Test
    void aFailingTestLeavesReadableFiles() throws IOException {
        run(FailingSample.class, Map.of());

        assertThat(events.files).containsOnlyKeys("fails(Fabric, QpPair)");
        assertThat(events.files.get("fails(Fabric, QpPair)"))
                .allSatisfy(file -> assertThat(file).startsWith(directory))
                .extracting(file -> file.getFileName().toString())
                .containsExactly("host0.pcap", "host1.pcap", "flight-recording.jfr");
        CaptureTally sender = Captures.tally(file("fails(Fabric, QpPair)", "host0.pcap"));
        CaptureTally receiver = Captures.tally(file("fails(Fabric, QpPair)", "host1.pcap"));
        assertThat(sender.roce()).isGreaterThan(40 * 16);
        assertThat(sender.bad() + sender.malformed()).isZero();
        assertThat(sender.good()).isEqualTo(sender.roce());
        assertThat(receiver.roce()).as("lost packets are not here").isNotEqualTo(sender.roce());
        assertThat(RecordingFile.readAllEvents(file("fails(Fabric, QpPair)", "flight-recording.jfr")))
                .anyMatch(event -> event.getEventType().getName().equals("rdma4j.Retransmission"))
                .anyMatch(event -> event.getEventType().getName().equals("rdma4j.Test")
                        && event.getBoolean("failed")
                        && event.getString("name").endsWith("FailingSample#fails"));
    }

    @Test
    void theFailureTellsSeedCommandAndFiles() {
        run(FailingSample.class, Map.of());

        Throwable failure = events.failure("fails(Fabric, QpPair)");
        assertThat(failure).isInstanceOf(AssertionError.class).hasMessageStartingWith("wrong data");
        assertThat(failure.getSuppressed()).hasSize(1);
        assertThat(failure.getSuppressed()[0])
                .isInstanceOf(FabricFailure.class)
                .extracting(Throwable::getMessage)
                .asString()
                .startsWith("fabric: [host0, host1], seed 7, ended after PT")
                .contains("repeat: mvn test -Dtest='" + FailingSample.class.getName()
                        + "#fails' -Drdma4j.testkit.seed=7\n")
                .contains("file: " + file("fails(Fabric, QpPair)", "host1.pcap"));
        assertThat(events.entries).contains(failure.getSuppressed()[0].getMessage());
        assertThat(events.failure("isAborted()").getSuppressed()).isEmpty();
        assertThat(events.result("passes(QpPair)").getStatus()).isEqualTo(Status.SUCCESSFUL);
    }

    @Test
    void theSeedCanBeGivenFromOutside() {
        run(FailingSample.class, Map.of("rdma4j.testkit.seed", "99"));
        assertThat(events.failure("fails(Fabric, QpPair)").getSuppressed()[0]).hasMessageContaining("seed 99");
    }

    @Test
    void temporaryFilesAreDeleted() throws IOException {
        List<Path> before = temporaryDirectories();
        run(FailingSample.class, Map.of());
        assertThat(temporaryDirectories()).isSubsetOf(before);
    }

    private static List<Path> temporaryDirectories() throws IOException {
        try (var list = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return list.filter(path -> path.getFileName().toString().startsWith("rdma4j-fabric"))
                    .toList();
        }
    }

    static class LeakingSample {
        private static final List<ProtectionDomain> OPEN = new ArrayList<>();

        @Test
        @RdmaFabric
        void isReported(@OnHost(1) Context context) {
            OPEN.add(context.allocatePd());
        }

        @Test
        @RdmaFabric(strict = true)
        void fails(@OnHost(0) RdmaHost host) {
            host.machine().rdma().open("rxe0");
        }

        @Test
        @RdmaFabric(strict = true, virtualTime = true)
        void failsInVirtualTime(@OnHost(0) Context context) {
            OPEN.add(context.allocatePd());
        }
    }

    @Test
    void whatATestLeavesOpenIsReportedAndFailsAStrictTest() {
        run(LeakingSample.class, Map.of());

        assertThat(events.result("isReported(Context)").getStatus()).isEqualTo(Status.SUCCESSFUL);
        assertThat(events.entries).anyMatch(entry -> entry.startsWith("the test has left open: host1: pd 1 "));
        assertThat(events.failure("fails(RdmaHost)"))
                .hasMessageStartingWith("the test has left open: host0: context of rxe0");
        assertThat(events.failure("failsInVirtualTime(Context)"))
                .hasMessageStartingWith("the test has left open: host0: pd 1 ");
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("host"));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @RdmaFabric(hosts = 2, loss = 0.01)
    static class ParallelSample {
        private static final CyclicBarrier BARRIER = new CyclicBarrier(2);

        @Test
        void one(QpPair pair) throws Exception {
            BARRIER.await(60, TimeUnit.SECONDS);
            Transfers.run(pair, 30);
        }

        @Test
        @RdmaFabric(virtualTime = true, loss = 0.01)
        void two(QpPair pair) throws Exception {
            BARRIER.await(60, TimeUnit.SECONDS);
            Transfers.run(pair, 30);
        }
    }

    @Test
    void twoFabricsRunAtTheSameTime() {
        run(
                ParallelSample.class,
                Map.of(
                        "junit.jupiter.execution.parallel.enabled", "true",
                        "junit.jupiter.execution.parallel.config.strategy", "fixed",
                        "junit.jupiter.execution.parallel.config.fixed.parallelism", "2"));
        assertThat(events.result("one(QpPair)").getStatus()).isEqualTo(Status.SUCCESSFUL);
        assertThat(events.result("two(QpPair)").getStatus()).isEqualTo(Status.SUCCESSFUL);
    }

    static class ImpossibleSample {
        @Test
        @RdmaFabric(hosts = 1000)
        void hasTooManyHosts(Fabric fabric) {
            assertThat(fabric).isNotNull();
        }

        @Test
        @RdmaFabric(link = "loss 200%")
        void losesTooMuch(Fabric fabric) {
            assertThat(fabric).isNotNull();
        }

        @Test
        @RdmaFabric(topology = "host a\na: frobnicate")
        void hasAnUnknownCommand(Fabric fabric) {
            assertThat(fabric).isNotNull();
        }

        @Test
        @RdmaFabric
        void asksForAContextOfNoHost(Context context) {
            assertThat(context).isNotNull();
        }

        @AfterEach
        void nothing() {}
    }

    @Test
    void whatCannotBeIsExplained() {
        run(ImpossibleSample.class, Map.of());
        assertThat(events.failure("hasTooManyHosts(Fabric)")).hasMessageContaining("hosts 1000: 1 to 200 are possible");
        assertThat(events.failure("losesTooMuch(Fabric)")).hasMessageContaining("200%");
        assertThat(events.failure("hasAnUnknownCommand(Fabric)")).hasMessageContaining("frobnicate: command not found");
        assertThat(events.failure("asksForAContextOfNoHost(Context)"))
                .hasMessageContaining("No ParameterResolver registered");
        assertThat(Arrays.stream(
                        events.failure("asksForAContextOfNoHost(Context)").getSuppressed()))
                .hasSize(1);
    }
}
