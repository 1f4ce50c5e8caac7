// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.DeviceMatch;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.spi.Provider;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program uses every verb of a served device once. Two recorders, at the program's end of the command channel and at
 * the device's, and a wire tap between them show that each verb that the device implements was executed.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EveryVerbServedTest {
    /** What the device implements and a program of another process cannot reach, with the reason. */
    private static final Map<String, String> NOT_SERVED = Map.ofEntries(
            Map.entry("ContextOps.modifyPort", "ib_modify_port is for the kernel only"),
            Map.entry("ContextOps.queryPortInfo", "management of the port, by programs of its own process"),
            Map.entry("ContextOps.setPortInfo", "management of the port, by programs of its own process"),
            Map.entry("ContextOps.pollNotice", "management of the port, by programs of its own process"),
            Map.entry("ContextOps.measureLatency", "a measurement of this project, no verb"),
            Map.entry("ContextOps.carrier", "a word for the log of the device's own process"),
            Map.entry("ContextOps.extension", "the routes of the device's own process"),
            Map.entry("ContextOps.createCqInBuffer", "the server chooses where the queues lie"),
            Map.entry("ContextOps.addPollSource", "drives the device by threads of its own process"),
            Map.entry("ContextOps.beforeBlocking", "drives the device by threads of its own process"),
            Map.entry("ContextOps.afterBlocking", "drives the device by threads of its own process"),
            Map.entry("ContextOps.sleep", "drives the device by threads of its own process"),
            Map.entry("ContextOps.wakeSleeper", "drives the device by threads of its own process"),
            Map.entry("QpOps.ringDoorbell", "the doorbell page is shared instead"),
            Map.entry("DeviceOps.driverId", "stands in the entry of the run directory"),
            Map.entry("DeviceOps.nodeDescription", "stands in the entry of the run directory"),
            Map.entry("DeviceOps.isExclusive", "which process serves the device"),
            Map.entry("DeviceOps.modify", "ib_modify_device is for the kernel only"));

    /** What the program does without a command: through the queues that both processes map, or by itself. */
    private static final Set<String> WITHOUT_A_COMMAND = Set.of(
            "QpOps.startSend",
            "QpOps.startReceive",
            "SrqOps.startReceive",
            "CqOps.startPoll",
            "CqOps.waiting",
            "CqOps.requestNotification",
            "ContextOps.allocateBuffer",
            "ContextOps.beforeBlocking",
            "ContextOps.afterBlocking",
            "ContextOps.sleep",
            "ContextOps.wakeSleeper",
            "ContextOps.carrier",
            "QpOps.dataOrder",
            "DeviceOps.isExclusive",
            "DeviceOps.resourcesOfAllProcesses");

    /** Commands of {@code ib_umad}, which are no verbs; {@link UmadClientTest} executes them. */
    private static final Set<CommandType> OF_UMAD = EnumSet.of(
            CommandType.OPEN_UMAD,
            CommandType.REGISTER_UMAD_AGENT,
            CommandType.UNREGISTER_UMAD_AGENT,
            CommandType.WRITE_UMAD,
            CommandType.READ_UMAD,
            CommandType.CLOSE_UMAD,
            CommandType.UMAD_EVENT);

    /** Commands of a communication manager, which are no verbs; {@link CmServedTest} executes them. */
    private static final Set<CommandType> OF_CM = EnumSet.of(
            CommandType.OPEN_CM,
            CommandType.LISTEN_CM,
            CommandType.END_LISTEN_CM,
            CommandType.BIND_CM_PORT,
            CommandType.RELEASE_CM_PORT,
            CommandType.SEND_CM,
            CommandType.RECEIVE_CM,
            CommandType.CLOSE_CM,
            CommandType.CM_EVENT);

    /** Commands of rdma_cm on a subnet, which are no verbs; the tests of {@code net run} execute them. */
    private static final Set<CommandType> OF_SUBNETS = EnumSet.of(
            CommandType.QUERY_INTERFACES,
            CommandType.QUERY_ROUTE,
            CommandType.RESOLVE_ADDRESS,
            CommandType.QUERY_NEIGHBOUR,
            CommandType.QUERY_RECORD,
            CommandType.JOIN_GROUP,
            CommandType.LEAVE_GROUP,
            CommandType.GROUP_EVENT);

    @TempDir
    private Path folder;

    @TempDir
    private Path memory;

    private final VerbRecorder near = new VerbRecorder();
    private final VerbRecorder far = new VerbRecorder();

    @Test
    @Covers({"GEN-27", "UVERBS-42"})
    void aProgramOfAnotherProcessExecutesEveryVerbOfTheDevice() throws Exception {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (ServedDevice served =
                        new ServedDevice(folder.resolve("run"), UverbsServer.ABI_VERSION, new RecordedProvider());
                Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Host host = Host.create("program", tapped)) {
            host.register(new RecordedDriver());
            new EveryVerb(host, host.open("rxe0"), memory).execute();
            served.server.onDelete(() -> served.far.deleteLink("rxe0"));
            host.deleteLink("rxe0");
            EnumSet<CommandType> covered = answered(tap);
            covered.addAll(OF_UMAD);
            covered.addAll(OF_CM);
            covered.addAll(OF_SUBNETS);
            assertThat(EnumSet.complementOf(covered))
                    .as("commands that have not succeeded")
                    .isEmpty();
        }
        assertThat(difference(far.implemented, NOT_SERVED.keySet(), near.executed))
                .as("verbs that the device implements and the program has not executed")
                .isEmpty();
        assertThat(difference(near.executed, WITHOUT_A_COMMAND, far.executed))
                .as("verbs that the program has executed and the device has not seen")
                .isEmpty();
        assertThat(difference(NOT_SERVED.keySet(), Set.of(), far.implemented))
                .as("exceptions for which there is no verb")
                .isEmpty();
    }

    private static EnumSet<CommandType> answered(Wiretap tap) {
        return tap.heard.stream()
                .filter(frame -> frame.refusal() == null
                        && (frame.kind() != Frame.Kind.REQUEST
                                || frame.message().command().isUnanswered()))
                .map(frame -> frame.message().command())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(CommandType.class)));
    }

    private static Set<String> difference(Set<String> all, Set<String> exceptions, Set<String> covered) {
        Set<String> left = new TreeSet<>(all);
        left.removeAll(exceptions);
        left.removeAll(covered);
        return left;
    }

    private final class RecordedProvider implements Provider {
        private final RxeProvider real = new RxeProvider(List.of(ServedDevice.spec()), RxeOptions.DEFAULT);
        private final List<DeviceOps> devices =
                real.discover().stream().map(far::device).toList();

        @Override
        public String name() {
            return real.name();
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return real.discover().isEmpty() ? List.of() : devices;
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private final class RecordedDriver implements Driver {
        private final UverbsDriver real = new UverbsDriver();

        @Override
        public String name() {
            return real.name();
        }

        @Override
        public int minAbiVersion() {
            return real.minAbiVersion();
        }

        @Override
        public int maxAbiVersion() {
            return real.maxAbiVersion();
        }

        @Override
        public List<DeviceMatch> matchTable() {
            return real.matchTable();
        }

        @Override
        public DeviceOps allocateDevice(FoundDevice found) {
            return near.device(real.allocateDevice(found));
        }
    }
}
