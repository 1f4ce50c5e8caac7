// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.GidType;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The port follows the state of its interface. */
class RxePortTest {
    private final Bench bench = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
    }

    private AsyncEvent event() throws InterruptedException {
        AsyncEvent event = Objects.requireNonNull(bench.context.getAsyncEvent(Duration.ofSeconds(5)), "an event");
        bench.context.acknowledgeAsyncEvent(event);
        return event;
    }

    @Test
    @Covers({"EVT-16", "EVT-17", "PORT-3", "PORT-20", "RXE-23"})
    void thePortGoesDownAndUpWithItsInterface() throws InterruptedException {
        bench.network.down();
        assertThat(event().type()).isEqualTo(EventType.PORT_ERR);
        assertThat(bench.context.queryPort(1).state()).isEqualTo(PortState.DOWN);
        assertThat(bench.context.queryPort(1).physicalState()).isEqualTo(PhysicalState.DISABLED);
        bench.network.up();
        AsyncEvent up = event();
        assertThat(up.type()).isEqualTo(EventType.PORT_ACTIVE);
        assertThat(up.port()).isEqualTo(1);
        assertThat(bench.context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
    }

    @Test
    @Covers("RXE-23")
    void thePortFollowsTheCarrier() throws InterruptedException {
        bench.network.setCarrier(false);
        assertThat(event().type()).isEqualTo(EventType.PORT_ERR);
        assertThat(bench.context.queryPort(1).state()).isEqualTo(PortState.DOWN);
        bench.network.setCarrier(true);
        assertThat(event().type()).isEqualTo(EventType.PORT_ACTIVE);
    }

    @Test
    @Covers("RXE-23")
    void theDeviceGoesWithItsInterface() throws InterruptedException {
        bench.network.unregister();
        assertThat(event().type()).isEqualTo(EventType.PORT_ERR);
        AsyncEvent gone = event();
        assertThat(gone.type()).isEqualTo(EventType.DEVICE_FATAL);
        assertThat(gone.port()).isZero();
        assertThat(bench.context.queryPort(1).state()).isEqualTo(PortState.DOWN);
    }

    /** Sends find no route and fail after all retries; there is no other effect. */
    @Test
    @Covers({"RXE-23", "RXE-117"})
    void workOfADeviceThatIsGoneFails() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 1);
        bench.network.unregister();
        endpoint.postSend(1, 0, 100);
        for (int i = 0; i < 1000; i++) {
            bench.progress();
        }
        assertThat(bench.link.sent).isEmpty();
        assertThat(endpoint.sendCq.poll(1))
                .singleElement()
                .satisfies(wc -> assertThat(wc.status()).isEqualTo(WcStatus.RETRY_EXC_ERR));
        assertThat(endpoint.qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    @Covers({"EVT-25"})
    void addressesAreTheGidTable() throws InterruptedException {
        Gid other = Gid.parse("::ffff:10.1.0.77");
        bench.network.ip().setGids(List.of(other));
        assertThat(event().type()).isEqualTo(EventType.GID_CHANGE);
        assertThat(bench.context.queryGidTable()).singleElement().satisfies(entry -> {
            assertThat(entry.gid()).isEqualTo(other);
            assertThat(entry.type()).isEqualTo(GidType.ROCE_V2);
        });
    }

    @Test
    void aPartitionThatChangesIsTold() throws InterruptedException {
        bench.port.setPkey(0, 0x8005);
        AsyncEvent event = event();
        assertThat(event.type()).isEqualTo(EventType.PKEY_CHANGE);
        assertThat(event.port()).isEqualTo(1);
        assertThat(bench.context.queryPkey(1, 0)).isEqualTo(0x8005);
    }

    @Test
    void aPartitionThatStaysIsNotTold() throws InterruptedException {
        bench.port.setPkey(0, 0xFFFF);
        assertThat(bench.context.getAsyncEvent(Duration.ZERO)).isNull();
        for (int[] wrong : new int[][] {{1, 0xFFFF}, {-1, 0xFFFF}, {0, 0x8000}, {0, 0x10000}}) {
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> bench.port.setPkey(wrong[0], wrong[1]))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
        bench.port.setPkey(0, 0);
        assertThat(event().type()).isEqualTo(EventType.PKEY_CHANGE);
        assertThat(bench.context.queryPkey(1, 0)).isZero();
    }

    /** 80 bytes are reserved for headers, and 256 is the minimum. */
    @ParameterizedTest
    @CsvSource({"4500,4096", "4176,4096", "4175,2048", "1500,1024", "1280,1024", "592,512", "591,256", "68,256"})
    @Covers({"RXE-18", "RXE-23", "PORT-9"})
    void theActiveMtuIsTheLargestThatFits(int interfaceMtu, int activeMtu) {
        bench.network.setMtu(interfaceMtu);
        assertThat(bench.context.queryPort(1).activeMtu()).isEqualTo(Mtu.ofBytes(activeMtu));
    }

    /** Linux also sets a {@code local_dma_lkey} of 0, "none": only kernel drivers have such a key. */
    @Test
    @Covers({"RXE-13", "RXE-14", "RXE-15", "RXE-19"})
    void theDeviceDescribesItselfAsSoftwareRoce() {
        assertThat(bench.context.device().name()).isEqualTo("rxe0");
        assertThat(bench.context.device().nodeDescription()).isEqualTo("rxe");
        assertThat(bench.context.device().nodeType()).isEqualTo(NodeType.CA);
        assertThat(bench.context.device().guid()).isEqualTo(Guid.ofMac(0x0200_0000_0001L));
        assertThat(bench.context.completionVectors())
                .isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(bench.context.queryGidTable())
                .extracting(GidEntry::port, GidEntry::netDeviceName)
                .containsOnly(tuple(1, "stub0"));
        assertThat(bench.context.queryPort(1).activeMtu()).isEqualTo(Mtu.MTU_4096);
        assertThat(bench.context.queryDevice().physicalPortCount()).isEqualTo(1);
        assertThat(bench.context.queryDevice().vendorId()).isEqualTo(0xFF_FFFF);
        assertThat(bench.context.queryPort(1).maxMessageSize()).isEqualTo(1L << 31);
        assertThat(bench.context.queryPort(1).maxMtu()).isEqualTo(Mtu.MTU_4096);
    }

    @Test
    @Covers("QP-62")
    void aPathMtuAboveTheActiveOneIsRefused() {
        bench.network.setMtu(1000);
        Endpoint endpoint = bench.endpoint();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> Bench.connect(endpoint.qp, GlobalRoute.to(Bench.PEER_V4, 0), 14))
                .withMessageContaining("1024")
                .withMessageContaining("512");
        assertThat(endpoint.qp.state()).isEqualTo(QpState.INIT);
    }

    @Test
    void aPathThatMixesIpVersionsIsRefused() {
        Endpoint endpoint = bench.endpoint();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> Bench.connect(endpoint.qp, GlobalRoute.to(Bench.PEER_V6, 0), 14))
                .withMessageContaining("GID index");
    }

    @Test
    @Covers({"RXE-116", "RXE-117"})
    void aPathFromAnEmptySlotOfTheGidTableIsRefused() {
        Endpoint endpoint = bench.endpoint();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> Bench.connect(endpoint.qp, GlobalRoute.to(Bench.PEER_V4, 5), 14))
                .withMessageContaining("5 of port 1")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    /** Packets to an address of the port itself do not reach the link. */
    @Test
    @Covers({"RXE-136", "RXE-147"})
    void packetsToItselfStayWithinThePort() {
        Endpoint self = bench.endpoint();
        self.connectTo(self, LinkSetup.DEFAULT);
        Bytes.fill(self.memory.asSlice(0, 10_000), 1);
        self.postReceive(1, 20_000, 10_000);
        self.postSend(2, 0, 10_000);
        self.awaitReceive();
        self.awaitSend();
        Bytes.assertHolds(self.memory.asSlice(20_000, 10_000), 1);
        assertThat(bench.link.sent).isEmpty();
    }

    /** A train counts as its number of packets, segmented or not. */
    @Test
    void trainsAreCountedAsPackets() {
        Endpoint self = bench.endpoint(EndpointSetup.OPEN);
        self.connectTo(self, LinkSetup.DEFAULT);
        TransportCounters counters = bench.port.counters();
        self.qp
                .startSend()
                .signaled()
                .rdmaWrite(self.mr.rkey(), self.remote(20_000))
                .sge(self.mr.lkey(), self.mr.address(), 20_000)
                .complete();
        self.awaitSend();
        assertThat(counters.sentPackets).isEqualTo(21);
        assertThat(counters.receivedPackets).isEqualTo(21);
        assertThat(counters.sentBytes).isEqualTo(20_000);
        assertThat(counters.receivedBytes).isEqualTo(20_000);
        assertThat(counters.sends).isEqualTo(1);
        self.qp
                .startSend()
                .signaled()
                .rdmaRead(self.mr.rkey(), self.remote(0))
                .sge(self.mr.lkey(), self.mr.address() + 40_000, 10_000)
                .complete();
        self.awaitSend();
        assertThat(counters.sentPackets).isEqualTo(32);
        assertThat(counters.receivedPackets).isEqualTo(32);
        assertThat(counters.sentBytes).isEqualTo(30_000);
        assertThat(counters.receivedBytes).isEqualTo(30_000);
        assertThat(counters.sends).isEqualTo(2);
        assertThat(counters.receives).isZero();
    }

    @Test
    @Covers("DEV-21")
    void theDeviceSaysWhatItsOperationsAreWorth() {
        DeviceAttributes device = bench.context.queryDevice();
        assertThat(device.atomicCapability()).isEqualTo(AtomicCapability.GLOB);
        assertThat(device.maskedAtomicCapability()).isEqualTo(AtomicCapability.GLOB);
        assertThat(device.has(DeviceCapability.UD_IP_CSUM)).isTrue();
        assertThat(device.has(DeviceCapability.UD_TSO)).isTrue();
        assertThat(device.limit(DeviceLimit.MAX_TSO)).isEqualTo(1 << 18);
        assertThat(device.has(DeviceCapability.FLUSH_GLOBAL)).isTrue();
        assertThat(device.has(DeviceCapability.FLUSH_PERSISTENT)).isTrue();
        assertThat(device.has(DeviceCapability.ATOMIC_WRITE)).isTrue();
    }

    @Test
    @Covers({"MR-28", "RXE-37"})
    void rightsThatTheDeviceDoesNotKnowAreRefused() {
        Endpoint endpoint = bench.endpoint();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> endpoint.pd.registerMemory(endpoint.memory, Set.of(AccessFlag.HUGETLB)))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }

    @Test
    @Covers({"RXE-38", "MR-32"})
    void aRegionHasOneKeyForBothSides() {
        Endpoint endpoint = bench.endpoint();
        assertThat(endpoint.mr.lkey()).isEqualTo(endpoint.mr.rkey()).isNotZero();
    }

    /** Registration loads the pages of a file before the first packet, like pinning, unless the region is ON_DEMAND. */
    @Test
    @Covers({"MR-21", "RXE-39", "RXE-41"})
    void registrationBringsTheFileInAndOnDemandDoesNot(@TempDir Path directory) throws IOException {
        Endpoint endpoint = bench.endpoint();
        MemorySegment lazy = sparseFile(directory.resolve("lazy"));
        assumeThat(lazy.isLoaded()).as("the system tells which pages are there").isFalse();
        MemorySegment pinned = sparseFile(directory.resolve("pinned"));
        try (MemoryRegion onDemand = endpoint.pd.registerMemory(lazy, Set.of(AccessFlag.ON_DEMAND));
                MemoryRegion ordinary = endpoint.pd.registerMemory(pinned, Set.of())) {
            assertThat(onDemand.segment().isLoaded()).isFalse();
            assertThat(ordinary.segment().isLoaded()).isTrue();
        }
    }

    private static MemorySegment sparseFile(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, 1 << 20, Arena.ofAuto());
        }
    }
}
