// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Raw IPv6 datagrams over an interface for IP packets, and the privilege for raw queue pairs. */
class RawQpTest {
    private static final EndpointSetup RAW_IPV6 = EndpointSetup.DEFAULT.type(QpType.RAW_IPV6);
    private static final int NO_NEXT_HEADER = 59;
    private static final int PACKET_BYTES = Ipv6.BYTES + 100;
    private static final int ROOM = 1 << 12;

    private final Bench bench = new Bench(Set.of(), ProgressMode.MANUAL, RxeOptions::withRawPackets);

    @AfterEach
    void close() {
        bench.close();
    }

    private Endpoint raw() {
        Endpoint endpoint = bench.endpoint(RAW_IPV6);
        ready(endpoint);
        return endpoint;
    }

    private static void ready(Endpoint endpoint) {
        endpoint.connectTo(endpoint, LinkSetup.DEFAULT);
    }

    private static MemorySegment ipv6(MemorySegment at, Gid from, Gid to) {
        int payload = PACKET_BYTES - Ipv6.BYTES;
        Ipv6.write(
                at,
                0,
                0,
                0,
                payload,
                NO_NEXT_HEADER,
                64,
                from.prefix(),
                from.interfaceId(),
                to.prefix(),
                to.interfaceId());
        return at.asSlice(0, PACKET_BYTES);
    }

    @Test
    @Covers("QP-13")
    void anIpv6PacketLeavesAsItWasPosted() {
        Endpoint a = raw();
        MemorySegment packet = ipv6(a.memory, Bench.LOCAL_V6, Bench.PEER_V6);
        a.postSend(1, 0, PACKET_BYTES);
        assertThat(a.awaitSend().wrId()).isEqualTo(1);
        assertThat(bench.link.sent).hasSize(1);
        assertThat(bench.link.sent.getFirst()).isEqualTo(packet.toArray(ValueLayout.JAVA_BYTE));
        assertThat(bench.port.counters().sentPackets).isEqualTo(1);
    }

    @Test
    @Covers("QP-13")
    void anIpv6PacketArrivesAsItWasSentAndPacketsOfOthersDoNot() {
        Endpoint a = raw();
        a.postReceive(1, 0, ROOM);
        MemorySegment sent = ipv6(MemorySegment.ofArray(new byte[PACKET_BYTES]), Bench.PEER_V6, Bench.LOCAL_V6);
        byte[] ipv4 = new byte[PACKET_BYTES];
        Ipv4.write(MemorySegment.ofArray(ipv4), 0, PACKET_BYTES, 0, 0, 64, 254, 1, 2);
        bench.link.arrive(ipv4);
        bench.link.arrive(sent.toArray(ValueLayout.JAVA_BYTE));
        bench.run();
        assertThat(a.awaitReceive().byteLength()).isEqualTo(PACKET_BYTES);
        assertThat(a.memory.asSlice(0, PACKET_BYTES).mismatch(sent)).isEqualTo(-1);
    }

    /** The transport still receives its packets, and does not find a raw queue pair by its number. */
    @Test
    @Covers("QP-13")
    void packetsOfTheTransportAreSeenAndStillDelivered() {
        Endpoint a = raw();
        a.postReceive(1, 0, ROOM);
        bench.link.arrive(
                new PlainPacket(Bench.PEER_V6, Bench.LOCAL_V6).qpn(a.qp.qpn()).bytes());
        bench.run();
        a.awaitReceive();
        assertThat(bench.port.inputCounters().noQueuePair).isEqualTo(1);
    }

    @Test
    void whatIsNoIpv6PacketIsNotSent() {
        assertSendFails(MemorySegment.ofArray(new byte[PACKET_BYTES]), WcStatus.LOC_QP_OP_ERR);
        MemorySegment tooLong = ipv6(MemorySegment.ofArray(new byte[PACKET_BYTES]), Bench.LOCAL_V6, Bench.PEER_V6);
        Ipv6.payloadLength(tooLong, 0, PACKET_BYTES);
        assertSendFails(tooLong, WcStatus.LOC_QP_OP_ERR);
        assertThat(bench.link.sent).isEmpty();
    }

    private void assertSendFails(MemorySegment bytes, WcStatus expected) {
        Endpoint a = raw();
        a.memory.copyFrom(bytes);
        a.postSend(1, 0, (int) bytes.byteSize());
        assertThat(a.awaitSends(1)).extracting(WorkCompletion::status).containsExactly(expected);
        assertThat(a.qp.state()).isEqualTo(QpState.SQE);
    }

    /** A request completes when its buffer is sent, so that a failed one waits for those before it. */
    @Test
    void aBusyNetworkHoldsRequestsBackInTheirOrder() {
        Endpoint a = raw();
        ipv6(a.memory, Bench.LOCAL_V6, Bench.PEER_V6);
        bench.link.busyAfter(1);
        for (int i = 0; i < 3; i++) {
            a.postSend(i, 0, PACKET_BYTES);
        }
        a.postSend(3, 0, 1);
        bench.run();
        assertThat(a.sendCq.poll(4)).extracting(WorkCompletion::wrId).containsExactly(0L);
        bench.link.busyAfter(10);
        bench.progress();
        List<WorkCompletion> rest = a.awaitSends(3);
        assertThat(rest).extracting(WorkCompletion::wrId).containsExactly(1L, 2L, 3L);
        assertThat(rest)
                .extracting(WorkCompletion::status)
                .containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    void aQueuePairThatIsResetWhileItsPacketIsHeldBackHearsNothingOfIt() {
        Endpoint a = raw();
        ipv6(a.memory, Bench.LOCAL_V6, Bench.PEER_V6);
        bench.link.busyAfter(0);
        a.postSend(1, 0, PACKET_BYTES);
        bench.run();
        a.qp.modify(QpAttributes.builder().state(QpState.RESET).build());
        ready(a);
        bench.link.busyAfter(10);
        a.postSend(2, 0, PACKET_BYTES);
        assertThat(a.awaitSend().wrId()).isEqualTo(2);
        assertThat(bench.link.sent).hasSize(2);
    }

    @Test
    void aClosedQueuePairSeesNothing() {
        Endpoint a = raw();
        a.postReceive(1, 0, ROOM);
        a.qp.close();
        bench.link.arrive(ipv6(MemorySegment.ofArray(new byte[PACKET_BYTES]), Bench.PEER_V6, Bench.LOCAL_V6)
                .toArray(ValueLayout.JAVA_BYTE));
        bench.run();
        assertThat(a.receiveCq.poll(1)).isEmpty();
        assertThat(bench.network.stats().rxDropped()).as("for nobody: no UDP").isZero();
    }

    @Test
    void rawQueuePairsArePrivileged() {
        try (Bench ordinary = new Bench(Set.of())) {
            assertRefused(ordinary, Errno.EPERM, "withRawPackets");
        }
    }

    @Test
    @Covers("QP-13")
    void anInterfaceThatCarriesUdpOnlyHasNoRawQueuePairs() {
        try (Bench sockets = new Bench(Set.of(PrivateFlag.UDP_ONLY), ProgressMode.MANUAL, RxeOptions::withRawPackets)) {
            assertRefused(sockets, Errno.EOPNOTSUPP, "max_raw_ipv6_qp is 0");
        }
    }

    private static void assertRefused(Bench bench, Errno errno, String reason) {
        Endpoint other = bench.endpoint();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> other.pd.createQp(QpInitAttributes.builder(other.sendCq)
                        .type(QpType.RAW_IPV6)
                        .build()))
                .withMessageContaining(reason)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void framesAllocateNothing() {
        EndpointSetup frames = EndpointSetup.DEFAULT.type(QpType.RAW_PACKET);
        try (ConformanceTarget target = RxeTargets.veth();
                Endpoint a = new Endpoint(target, target.first(), frames);
                Endpoint b = new Endpoint(target, target.second(), frames)) {
            ready(a);
            ready(b);
            a.memory.asSlice(0, 6).fill((byte) 0xFF);
            long allocated = Allocations.inSteadyState("rdma4j-", () -> {
                for (int i = 0; i < 2000; i++) {
                    b.postReceive(1, 0, ROOM);
                    a.postSend(1, 0, 60);
                    Progress.awaitMessage(a.sendCq, b.receiveCq);
                }
            });
            assertThat(allocated).isZero();
        }
    }
}
