// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.management.RdmaManagement;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import jdk.jfr.Configuration;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;

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
