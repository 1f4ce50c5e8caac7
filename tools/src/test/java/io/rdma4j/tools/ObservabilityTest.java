// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.management.RdmaManagement;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import jdk.jfr.Configuration;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the flight recorder events and management beans of an open device. */
class ObservabilityTest {
    private static final String NAME = "rxe_seen";

    private static Host host() {
        Host host = Host.create("observed");
        host.register(new RxeProvider(DeviceSpec.parseList(NAME + "=udp:127.0.0.77:4797"), RxeOptions.DEFAULT));
        return host;
    }

    @Test
    void aRecordingHasTheCountersOfAnOpenPort() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (Host host = host();
                Context _ = host.open(NAME);
                RecordingStream stream = new RecordingStream()) {
            stream.enable("rdma4j.PortCounter").withPeriod(Duration.ofMillis(100));
            stream.onEvent("rdma4j.PortCounter", event -> {
                if (event.getString("counter").equals("rcvd_pkts") && event.getLong("value") == 0) {
                    seen.countDown();
                }
            });
            stream.startAsync();
            assertThat(seen.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** An option of the JVM records a program that knows nothing of it, with the profile of the documents. */
    @Test
    @Covers("GEN-32")
    @ProvedOn("carrier:udp")
    void whatADeviceMeetsIsRecordedWithoutAChangeOfTheProgram(@TempDir Path folder) throws Exception {
        Path recording = folder.resolve("recording.jfr");
        List<String> command = ToolProcess.jvm();
        command.removeLast();
        command.addAll(
                1,
                List.of(
                        "-XX:StartFlightRecording=settings="
                                + Path.of("../docs/rdma4j.jfc").toAbsolutePath() + ",filename=" + recording,
                        "-Drdma4j.run=" + folder.resolve("run"),
                        "-Drdma4j.devices=rxe_failing=udp:127.0.0.78:4798"));
        command.addAll(List.of(FailingConnections.class.getName(), "rxe_failing"));
        StringWriter output = new StringWriter();
        try (ToolProcess program = ToolProcess.start("program", new PrintWriter(output, true), command)) {
            assertThat(program.awaitExit(TimeUnit.SECONDS.toNanos(60)))
                    .as(output::toString)
                    .isEqualTo(OptionalInt.of(0));
        }
        assertThat(output.toString()).contains("RNR_RETRY_EXC_ERR", "program | RETRY_EXC_ERR");
        List<RecordedEvent> events = RecordingFile.readAllEvents(recording);
        assertThat(values(events, "Retransmission", "cause")).isNotEmpty();
        assertThat(values(events, "RetryExceeded", "cause")).hasSize(2);
        assertThat(values(events, "RnrNak", "direction")).hasSizeGreaterThanOrEqualTo(2);
        assertThat(values(events, "PacketDrop", "reason")).isNotEmpty();
        assertThat(values(events, "CompletionError", "status")).contains("RNR_RETRY_EXC_ERR", "RETRY_EXC_ERR");
        assertThat(values(events, "PortCounter", "counter")).contains("sent_pkts", "retry_exceeded_err");
    }

    private static Set<String> values(List<RecordedEvent> events, String type, String field) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("rdma4j." + type))
                .map(event -> event.getString(field))
                .collect(Collectors.toSet());
    }

    @Test
    void aBeanShowsTheDeviceAndGoesWithIt() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = new ObjectName("io.rdma4j:type=Device,name=\"" + NAME + "\"");
        try (Host host = host();
                RdmaManagement _ = RdmaManagement.register(host)) {
            assertThat(server.getAttribute(bean, "OpenContexts")).isEqualTo(0);
            assertThat(((TabularData) server.getAttribute(bean, "Counters")).isEmpty())
                    .isTrue();
            try (Context context = host.open(NAME);
                    ProtectionDomain _ = context.allocatePd()) {
                assertThat(server.getAttribute(bean, "PortState")).isEqualTo("ACTIVE");
                assertThat(((TabularData) server.getAttribute(bean, "Counters"))
                                .containsKey(new Object[] {"rcvd_pkts"}))
                        .isTrue();
                assertThat(((TabularData) server.getAttribute(bean, "Resources")).containsKey(new Object[] {"pd"}))
                        .isTrue();
            }
        }
        assertThat(server.isRegistered(bean)).isFalse();
    }

    @Test
    void theProfileNamesEventsThatThereAre() throws Exception {
        Path profile = Path.of("../docs/rdma4j.jfc");
        Map<String, String> settings =
                Configuration.create(Files.newBufferedReader(profile)).getSettings();
        List<String> named = settings.keySet().stream()
                .map(key -> key.substring(0, key.indexOf('#')))
                .distinct()
                .toList();
        try (Host host = host();
                Context _ = host.open(NAME)) {
            List<String> known = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                    .map(EventType::getName)
                    .filter(name -> name.startsWith("rdma4j."))
                    .toList();
            assertThat(known).contains("rdma4j.PortCounter", "rdma4j.Retransmission");
            assertThat(named).containsAll(known);
        }
    }
}
