// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.SnmpCounter;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.transmit.TrafficClasses;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Receiving for datagram queue pairs: from any sender, but only with this port's address, P_Keys and Q_Key. */
class DatagramInputTest {
    private static final int UD_SEND_ONLY = 0x64;
    private static final int QKEY = 0x11111111;
    private static final int GSI_QKEY = 0x80010000;
    private static final Gid GROUP = Gid.parse("::ffff:239.5.6.7");
    private static final Gid GROUP_V6 = Gid.parse("ff15::77");
    private static final int MULTICAST_QPN = 0xFFFFFF;
    private static final Gid STRANGER = Gid.parse("::ffff:10.77.0.1");

    private Bench bench = new Bench(Set.of());
    private Endpoint to = prepare(QpType.UD);

    private Endpoint prepare(QpType type) {
        Endpoint endpoint = bench.endpoint(EndpointSetup.DEFAULT.type(type));
        endpoint.connectTo(endpoint, LinkSetup.DEFAULT);
        endpoint.postReceive(1, 0, 256);
        return endpoint;
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private PlainPacket from(Gid source, Gid destination) {
        return new PlainPacket(source, destination)
                .opcode(UD_SEND_ONLY)
                .qpn(to.qp.qpn())
                .extended(QKEY, 0x00ABCDEF)
                .payload(new byte[] {1, 2, 3});
    }

    private List<WorkCompletion> arrive(PlainPacket packet) {
        bench.link.arrive(packet.bytes());
        bench.run();
        return to.receiveCq.poll(2);
    }

    private byte[] received(int bytes) {
        return to.memory.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    /** By these values of ConnectX adapters, UCX knows where the addresses are. A reply has no service level. */
    @Test
    @Covers("CQ-71")
    void theServiceLevelTellsTheKindOfHeader() {
        WorkCompletion v4 = arrive(from(STRANGER, Bench.LOCAL_V4)).getFirst();
        assertThat(v4.serviceLevel()).isEqualTo(10);
        assertThat(to.context.replyPath(1, v4, to.memory.asSlice(0, 40)).serviceLevel())
                .isZero();

        to.postReceive(2, 0, 256);
        WorkCompletion v6 = arrive(from(Bench.PEER_V6, Bench.LOCAL_V6)).getFirst();
        assertThat(v6.serviceLevel()).isEqualTo(9);
    }

    @Test
    @Covers({"RXE-177", "CQ-71"})
    void theFirstFortyBytesAreZeroesAndTheIpv4Header() {
        PlainPacket packet = from(STRANGER, Bench.LOCAL_V4).identification(7).route(0x2A, 0, 9);
        WorkCompletion wc = arrive(packet).getFirst();
        assertThat(wc.byteLength()).isEqualTo(43);
        assertThat(wc.sourceQp()).isEqualTo(0xABCDEF);
        byte[] expected = new byte[43];
        System.arraycopy(packet.bytes(), 0, expected, 20, 20);
        System.arraycopy(new byte[] {1, 2, 3}, 0, expected, 40, 3);
        assertThat(received(43)).isEqualTo(expected);
    }

    @Test
    @Covers("RXE-177")
    void theFirstFortyBytesAreTheIpv6Header() {
        PlainPacket packet = from(Bench.PEER_V6, Bench.LOCAL_V6).route(0x15, 0x54321, 3);
        assertThat(arrive(packet).getFirst().byteLength()).isEqualTo(43);
        assertThat(received(40)).isEqualTo(Arrays.copyOf(packet.bytes(), 40));
    }

    @Test
    void datagramsToOtherAddressesAreDropped() {
        assertThat(arrive(from(STRANGER, Gid.parse("::ffff:10.1.0.99")))).isEmpty();
        assertThat(arrive(from(Bench.PEER_V6, Gid.parse("fd00::9")))).isEmpty();
        assertThat(bench.port.stack().counters().get(SnmpCounter.IN_ADDR_ERRORS))
                .isEqualTo(2);
    }

    @Test
    void packetsOfOtherServicesAreDropped() {
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).opcode(PlainPacket.SEND_ONLY)))
                .isEmpty();
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).opcode(0x24))).isEmpty();
        assertThat(bench.port.inputCounters().wrongType).isEqualTo(2);
    }

    /** The port's attributes contain the counters; the Q_Key counter can be reset. */
    @Test
    @Covers({"PORT-12", "PORT-54", "DEV-32", "DEV-33"})
    void wrongKeysAreCounted() {
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).pkey(0x8001))).isEmpty();
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).extended(QKEY - 1, 5))).isEmpty();
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).extended(QKEY + 1, 5))).isEmpty();
        assertThat(bench.context.queryPort(1).badPkeyCounter()).isEqualTo(1);
        assertThat(bench.context.queryPort(1).qkeyViolationCounter()).isEqualTo(2);
        bench.context.port(1).modify(PortModification.ofQkeyCounterReset());
        assertThat(bench.context.queryPort(1).qkeyViolationCounter()).isZero();
        assertThat(bench.context.queryPort(1).badPkeyCounter()).isEqualTo(1);
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).extended(QKEY + 1, 5))).isEmpty();
        assertThat(bench.context.queryPort(1).qkeyViolationCounter()).isEqualTo(1);
        assertThat(bench.context.queryDevice().capabilities())
                .contains(DeviceCapability.BAD_PKEY_CNTR, DeviceCapability.BAD_QKEY_CNTR);
    }

    @Test
    @Covers({"DEV-32", "DEV-33"})
    void aDeviceThatSaysItDoesNotCountShowsNoCounts() {
        bench.close();
        DeviceProfile careless =
                DeviceProfile.FULL.without(DeviceCapability.BAD_PKEY_CNTR).without(DeviceCapability.BAD_QKEY_CNTR);
        bench = new Bench(Set.of(), ProgressMode.MANUAL, options -> options.withProfile(careless));
        to = prepare(QpType.UD);
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).pkey(0x8001))).isEmpty();
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).extended(QKEY - 1, 5))).isEmpty();
        assertThat(bench.context.queryPort(1).badPkeyCounter()).isZero();
        assertThat(bench.context.queryPort(1).qkeyViolationCounter()).isZero();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> bench.context.port(1).modify(PortModification.ofQkeyCounterReset()))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }

    /** A datagram uses the lane of its service level: lanes are the traffic classes of the interface. */
    @ParameterizedTest
    @CsvSource({"0,0", "3,3", "5,2", "15,1"})
    @Covers("PORT-26")
    void aServiceLevelHasALane(int serviceLevel, int lane) {
        try (Bench lanes = new Bench(4)) {
            TrafficClasses classes = lanes.network.transmitQueues().classes();
            classes.count(4);
            for (int i = 0; i < 4; i++) {
                classes.queues(i, i, 1);
            }
            classes.map(3, 3);
            classes.map(5, 2);
            classes.map(15, 1);
            assertThat(lanes.context.queryPort(1).virtualLanes()).isEqualTo(4);
            assertThat(lanes.context.queryPort(1).capabilities()).contains(PortCapability.SL_MAP_SUP);
            Endpoint datagrams = lanes.endpoint(EndpointSetup.DEFAULT.type(QpType.UD));
            datagrams.connectTo(datagrams, LinkSetup.DEFAULT);
            AddressVector vector =
                    new AddressVector(GlobalRoute.to(Bench.PEER_V4, 0), 0, serviceLevel, 0, Rate.PORT_CURRENT, 1);
            try (AddressHandle handle = datagrams.pd.createAddressHandle(vector)) {
                datagrams.qp.postSend(SendRequest.send()
                        .sge(datagrams.mr.sge(0, 100))
                        .destination(handle, Bench.PEER_QPN, QKEY)
                        .build());
                lanes.run();
            }
            assertThat(lanes.link.queues).containsExactly(lane);
        }
    }

    private void partitions(Integer... pkeys) {
        bench.close();
        bench = new Bench(Set.of(), ProgressMode.MANUAL, options -> options.withPkeys(List.of(pkeys)));
    }

    @Test
    void theTableOfPartitionsIsWhatTheOptionsSay() {
        partitions(0x0003, 0x8004);
        assertThat(bench.context.queryPort(1).pkeyTableLength()).isEqualTo(2);
        assertThat(bench.context.queryPkey(1, 0)).isEqualTo(3);
        assertThat(bench.context.pkeyIndex(1, 0x8004)).isEqualTo(1);
    }

    @Test
    void aLimitedMemberHearsFullMembersOnly() {
        partitions(0x0003, 0x8004);
        to = prepare(QpType.UD);
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).pkey(0x0003))).isEmpty();
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).pkey(0x8004))).isEmpty();
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).pkey(0x8003))).hasSize(1);
    }

    /** IBA 10.9.8: QP1 is in all partitions of the port. */
    @Test
    @Covers("QP-9")
    void theGeneralServicesHearAllPartitionsOfThePort() {
        partitions(0x0003, 0x8004);
        to = prepare(QpType.GSI);
        assertThat(to.qp.qpn()).isEqualTo(1);
        PlainPacket packet = from(STRANGER, Bench.LOCAL_V4).extended(GSI_QKEY, 1);
        assertThat(arrive(packet.pkey(0x0005))).isEmpty();
        assertThat(arrive(packet.pkey(0x7004))).isEmpty();
        assertThat(arrive(packet.pkey(0x0004))).hasSize(1);
    }

    /** A GSI queue pair belongs to all partitions and ports: the completion contains those of the datagram. */
    @Test
    @Covers({"CQ-69", "CQ-70"})
    void theGeneralServicesAreToldThePartitionAndThePort() {
        partitions(0x0003, 0x8004);
        to = prepare(QpType.GSI);
        PlainPacket packet = from(STRANGER, Bench.LOCAL_V4).extended(GSI_QKEY, 1);
        assertThat(arrive(packet.pkey(0x0004))).singleElement().satisfies(wc -> {
            assertThat(wc.pkeyIndex()).isEqualTo(1);
            assertThat(wc.port()).isEqualTo(1);
        });
        to.postReceive(2, 0, 256);
        assertThat(arrive(packet.pkey(0x8003)))
                .singleElement()
                .satisfies(wc -> assertThat(wc.pkeyIndex()).isZero());
    }

    /** A queue pair of a single partition needs no such fields: only GSI queue pairs get them. */
    @Test
    void anOrdinaryQueuePairIsToldNeither() {
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4))).singleElement().satisfies(wc -> {
            assertThat(wc.pkeyIndex()).isZero();
            assertThat(wc.port()).isZero();
        });
    }

    @Test
    void aPrivilegedQkeyNeedsAPrivilege() {
        QpAttributes privileged = QpAttributes.builder().qkey(0x80000000).build();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> to.qp.modify(privileged))
                .withMessageContaining("withPrivilegedQkeys")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
        bench.close();
        bench = new Bench(Set.of(), ProgressMode.MANUAL, RxeOptions::withPrivilegedQkeys);
        to = prepare(QpType.UD);
        to.qp.modify(privileged);
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).extended(0x80000000, 5)))
                .hasSize(1);
    }

    /** The work request of a GSI queue pair selects the partition. */
    @Test
    void aGeneralServicesDatagramBearsThePartitionThatItNames() {
        partitions(0x0003, 0x8004);
        Endpoint gsi = prepare(QpType.GSI);
        try (AddressHandle path = gsi.pd.createAddressHandle(AddressVector.roce(1, Bench.PEER_V4, 0))) {
            gsi.qp
                    .startSend()
                    .signaled()
                    .send()
                    .destination(path, 1, GSI_QKEY)
                    .pkeyIndex(1)
                    .complete();
            bench.run();
            gsi.awaitSend();
        }
        ByteBuffer sent = ByteBuffer.wrap(bench.link.sent.getFirst());
        assertThat(sent.getShort(28 + 2)).isEqualTo((short) 0x8004);
        assertThat(sent.getInt(28 + 12)).isEqualTo(GSI_QKEY);
    }

    @ParameterizedTest
    @EnumSource(
            value = QpType.class,
            names = {"SMI", "RAW_PACKET", "RAW_ETHERTYPE"})
    @Covers("RXE-62")
    void typesThatIpPacketsCannotCarryAreRefusedWithTheReason(QpType type) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> to.pd.createQp(QpInitAttributes.builder(to.sendCq)
                        .type(type)
                        .port(1)
                        .etherType(type == QpType.RAW_ETHERTYPE ? 0x88B5 : 0)
                        .build()))
                .withMessageContaining(
                        switch (type) {
                            case SMI -> "subnet management";
                            case RAW_PACKET -> "Ethernet";
                            default -> "max_raw_ethy_qp is 0";
                        })
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }

    @Test
    @Covers({"MCAST-7", "RXE-159"})
    void aMulticastDatagramGoesToTheGroupThatItsAddressNames() {
        to.qp.attachMulticast(GROUP, 0);
        to.qp.attachMulticast(GROUP_V6, 0);
        to.postReceive(2, 0, 256);
        assertThat(arrive(from(STRANGER, GROUP).qpn(MULTICAST_QPN))).hasSize(1);
        assertThat(arrive(from(Bench.PEER_V6, GROUP_V6).qpn(MULTICAST_QPN))).hasSize(1);
        assertThat(arrive(from(STRANGER, Gid.parse("::ffff:239.5.6.8")).qpn(MULTICAST_QPN)))
                .isEmpty();
        assertThat(bench.port.inputCounters().noQueuePair).isEqualTo(1);
    }

    /**
     * The first attach joins the group on the network; further ones only add receivers. RoCE has no subnet
     * administrator: switches forward a group's packets according to IGMP and MLD reports.
     */
    @Test
    @Covers("MCAST-4")
    void aGroupIsJoinedOnTheNetworkBeforeAnybodyHearsIt() {
        bench.link.refusesGroups = true;
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> to.qp.attachMulticast(GROUP, 0));
        assertThat(arrive(from(STRANGER, GROUP).qpn(MULTICAST_QPN))).isEmpty();

        bench.link.refusesGroups = false;
        to.qp.attachMulticast(GROUP, 0);
        assertThat(bench.link.groups).containsExactly(GROUP);
        Endpoint second = prepare(QpType.UD);
        second.qp.attachMulticast(GROUP, 0);
        assertThat(bench.link.groups).containsExactly(GROUP);
        to.qp.detachMulticast(GROUP, 0);
        assertThat(bench.link.groups).containsExactly(GROUP);
        assertThat(arrive(from(STRANGER, GROUP).qpn(MULTICAST_QPN))).isEmpty();
        assertThat(second.receiveCq.poll(2)).hasSize(1);
        second.qp.detachMulticast(GROUP, 0);
        assertThat(bench.link.groups).isEmpty();
    }

    /** A datagram needs both the group's address and the multicast queue pair number. */
    @Test
    void aGroupsDatagramBearsTheMulticastNumber() {
        to.qp.attachMulticast(GROUP, 0);
        assertThat(arrive(from(STRANGER, GROUP))).isEmpty();
        assertThat(arrive(from(STRANGER, Bench.LOCAL_V4).qpn(MULTICAST_QPN))).isEmpty();
        assertThat(arrive(from(STRANGER, GROUP).qpn(MULTICAST_QPN).pkey(0x8001)))
                .isEmpty();
        assertThat(bench.port.inputCounters().badPkey).isEqualTo(1);
    }

    @Test
    @Covers({"MCAST-6", "DEV-53"})
    void aSenderThatBlocksItsEchoesHearsOthersOnly() {
        try (QueuePair deaf = to.pd.createQp(QpInitAttributes.builder(to.sendCq, to.receiveCq)
                .type(QpType.UD)
                .capabilities(QpCapabilities.of(1, 4))
                .createFlags(QpCreateFlag.BLOCK_MULTICAST_LOOPBACK)
                .build())) {
            deaf.modify(QpAttributes.builder()
                    .state(QpState.INIT)
                    .pkeyIndex(0)
                    .port(1)
                    .qkey(QKEY)
                    .build());
            deaf.modify(QpAttributes.builder().state(QpState.RTR).build());
            deaf.attachMulticast(GROUP, 0);
            deaf.startReceive()
                    .receive(7)
                    .sge(to.mr.lkey(), to.mr.address(), 256)
                    .receive(8)
                    .sge(to.mr.lkey(), to.mr.address(), 256)
                    .complete();
            assertThat(arrive(from(Bench.LOCAL_V4, GROUP).qpn(MULTICAST_QPN).extended(QKEY, deaf.qpn())))
                    .isEmpty();
            assertThat(arrive(from(Bench.LOCAL_V4, GROUP).qpn(MULTICAST_QPN).extended(QKEY, to.qp.qpn())))
                    .hasSize(1);
            assertThat(arrive(from(STRANGER, GROUP).qpn(MULTICAST_QPN).extended(QKEY, deaf.qpn())))
                    .hasSize(1);
        }
    }
}
