// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import io.rdma4j.verbs.wr.CompletionField;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the sizes and attributes of a ping-pong's queues and queue pair. */
class PingPongContextTest {
    private static final PingPongProgram PROGRAM = new RcPingPong();
    private static final int PEER_QPN = 0x123456;
    private static final int PEER_PSN = 0xABCDEF;
    private static final int LID = 0x77;
    private static final int SERVICE_LEVEL = 5;

    private static PingPongContext open(String... words) throws Exception {
        PingPongOptions options = PingPongOptionsTest.parse(PROGRAM, words);
        return PingPongContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), PROGRAM, options);
    }

    /** A queue of 511 has 511 entries, one of 512 has 1023: all receives and the one send fit. */
    @Test
    @Covers({"RXE-43", "PERF-5"})
    void theCompletionQueueHoldsOneMoreThanTheReceivesAndTimesIfAskedFor() throws Exception {
        try (PingPongContext plain = open("-r", "511");
                PingPongContext stamped = open("-r", "511", "-t")) {
            assertThat(plain.cq().capacity()).isEqualTo(1023);
            assertThat(plain.cq().fields()).doesNotContain(CompletionField.COMPLETION_TIMESTAMP);
            assertThat(stamped.cq().capacity()).isEqualTo(1023);
            assertThat(stamped.cq().fields()).contains(CompletionField.COMPLETION_TIMESTAMP);
        }
    }

    /** Two completions per poll: both are present when an exchange is complete. */
    @Test
    @Covers({"PERF-5", "TOOL-14"})
    void sizesRightsAndBufferAreThoseOfTheExample() throws Exception {
        PingPongOptions options = PingPongOptionsTest.parse(PROGRAM, "-r", "8", "-s", "5000");
        assertThat(PingPongContext.capabilities(options)).isEqualTo(new QpCapabilities(1, 8, 1, 1, 0));
        try (PingPongContext context =
                PingPongContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), PROGRAM, options)) {
            QueuePair qp = context.ends().getFirst().qp();
            assertThat(qp.initAttributes().capabilities().maxSendWr()).isEqualTo(1);
            assertThat(context.region().access()).containsExactly(AccessFlag.LOCAL_WRITE);
            assertThat(context.buffer().memory().address() % 4096).isZero();
            assertThat(context.buffer().memory().toArray(ValueLayout.JAVA_BYTE))
                    .hasSize(5000)
                    .containsOnly(0x7b);
            PingPongLoop loop = new PingPongLoop(context, PROGRAM, options, Long.MAX_VALUE);
            loop.prepare();
            qp.modify(QpAttributes.builder().state(QpState.ERR).build());
            for (int flushed = 0; flushed < 8; flushed += 2) {
                assertThat(loop.poll()).isEqualTo(2);
            }
            assertThat(loop.poll()).isZero();
        }
    }

    @Test
    @Covers("TOOL-3")
    void onDemandPagingMakesARegionOfThatKind() throws Exception {
        try (PingPongContext context = open("-o")) {
            assertThat(context.region().access())
                    .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND);
        }
    }

    /** Addresses of device memory begin at 0, which is impossible for a buffer of the process. */
    @Test
    @Covers("TOOL-3")
    void deviceMemoryHoldsTheMessagesInsteadOfTheProcess() throws Exception {
        try (PingPongContext context = open("-j", "-c", "-s", "64")) {
            assertThat(context.region().access()).contains(AccessFlag.ZERO_BASED);
            assertThat(context.address(context.buffer().outgoing())).isZero();
            assertThat(context.address(context.buffer().incoming(0))).isEqualTo(64);
        }
        assertThatExceptionOfType(ToolFailure.class)
                .isThrownBy(() -> open("-j", "-s", "100000000").close())
                .withMessage("Dev mem allocation failed");
    }

    @Test
    @Covers("TOOL-12")
    void fewerReceivesThanRxDepthIsAnError() throws Exception {
        try (PingPongContext context = open("-r", "8")) {
            PingPongOptions deeper = PingPongOptionsTest.parse(PROGRAM, "-r", "5000");
            PingPongLoop loop = new PingPongLoop(context, PROGRAM, deeper, Long.MAX_VALUE);
            assertThatExceptionOfType(ToolFailure.class)
                    .isThrownBy(loop::prepare)
                    .withMessageStartingWith("Couldn't post receive (")
                    .havingCause()
                    .withMessageContaining("ENOMEM");
        }
    }

    /** The exit code of the original reports that no event or object holds the queue open. */
    @Test
    @Covers("TOOL-17")
    void everythingIsClosedAfterAPingPongWithEvents() throws Exception {
        Host host = Host.create("test");
        host.register(new RxeProvider(DeviceSpec.parseList("ping=udp:lo,pong=udp:lo"), RxeOptions.DEFAULT));
        PingPongOptions options = PingPongOptionsTest.parse(PROGRAM, "-e", "-c", "-n", "50");
        try (PingPongContext ping = PingPongContext.open(host.device("ping"), PROGRAM, options);
                PingPongContext pong = PingPongContext.open(host.device("pong"), PROGRAM, options)) {
            PingPongLoop here = new PingPongLoop(ping, PROGRAM, options, Long.MAX_VALUE);
            PingPongLoop there = new PingPongLoop(pong, PROGRAM, options, Long.MAX_VALUE);
            here.prepare();
            there.prepare();
            ping.connect(pong.localAddresses());
            pong.connect(ping.localAddresses());
            Thread answers = Thread.ofPlatform().daemon().start(() -> runQuietly(there));
            assertThat(here.run(true).valid()).isTrue();
            answers.join(30_000);
            assertThat(answers.isAlive()).isFalse();
            assertThat(host.device("ping").resources()).isNotEmpty();
        }
        assertThat(host.device("ping").resources()).isEmpty();
        assertThat(host.device("pong").resources()).isEmpty();
    }

    /** As in the original: closing stops at the object that fails, and the tool ends with that line and an error. */
    @Test
    @Covers("RXE-240")
    void anObjectThatCannotBeClosedIsReportedAndThoseBelowItStayOpen() throws Exception {
        Host host = Host.create("test");
        host.register(new RxeProvider(DeviceSpec.parseList("ping=udp:lo"), RxeOptions.DEFAULT));
        PingPongContext context =
                PingPongContext.open(host.device("ping"), PROGRAM, PingPongOptionsTest.parse(PROGRAM));
        ProtectionDomain other = context.cq().context().allocatePd();
        QueuePair user = other.createQp(QpInitAttributes.builder(context.cq()).build());
        assertThatExceptionOfType(ToolFailure.class)
                .isThrownBy(context::close)
                .withMessage("Couldn't destroy CQ")
                .havingCause()
                .withMessageContaining("EBUSY");
        assertThat(kinds(host)).contains(ResourceKind.CQ, ResourceKind.MR, ResourceKind.PD);
        user.close();
        assertThatExceptionOfType(ToolFailure.class).isThrownBy(context::close).withMessage("Couldn't release context");
        assertThat(kinds(host)).containsExactlyInAnyOrder(ResourceKind.CONTEXT, ResourceKind.PD);
        other.close();
        context.close();
        assertThat(kinds(host)).isEmpty();
    }

    private static List<ResourceKind> kinds(Host host) {
        return host.device("ping").resources().stream().map(Resource::kind).toList();
    }

    private static void runQuietly(PingPongLoop loop) {
        try {
            loop.run(false);
        } catch (ToolFailure | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Covers("TOOL-7")
    void eachOfTheTwentyFourBitsOfAPsnIsRandom() throws Exception {
        int ones = 0;
        int zeros = 0;
        for (int i = 0; i < 32; i++) {
            try (PingPongContext context = open("-r", "1")) {
                int psn = context.localAddresses().getFirst().psn();
                ones |= psn;
                zeros |= ~psn;
            }
        }
        assertThat(ones).isEqualTo(0xFFFFFF);
        assertThat(zeros & 0xFFFFFF).isEqualTo(0xFFFFFF);
    }

    /**
     * A deviation: without -g the original sends a zero GID, and then fails on Ethernet, where a packet needs
     * addresses.
     */
    @Test
    @Covers("TOOL-6")
    void withoutGidIndexSlotZeroIsTakenOnEthernet() throws Exception {
        try (PingPongContext without = open();
                PingPongContext with = open("-g", "0")) {
            assertThat(without.localAddresses().getFirst().gid())
                    .isEqualTo(with.localAddresses().getFirst().gid())
                    .isNotEqualTo(Gid.ZERO);
        }
    }

    @Test
    @Covers("RXE-77")
    void readyToReceiveTakesPathMtuPeerAndAddressVector() throws Exception {
        try (PingPongContext context = open("-m", "512", "-l", String.valueOf(SERVICE_LEVEL))) {
            Gid peer = context.localAddresses().getFirst().gid();
            context.connect(List.of(new PingPongAddress(LID, PEER_QPN, PEER_PSN, peer)));
            QpAttributes now = context.ends().getFirst().qp().query();
            assertThat(now.pathMtu()).isEqualTo(Mtu.MTU_512);
            assertThat(now.destinationQpn()).isEqualTo(PEER_QPN);
            assertThat(now.rqPsn()).isEqualTo(PEER_PSN);
            assertThat(now.maxDestRdAtomic()).isEqualTo(1);
            assertThat(now.minRnrTimer()).isEqualTo(12);
            GlobalRoute route = new GlobalRoute(peer, 0, 0, 1, 0);
            assertThat(now.addressVector())
                    .isEqualTo(new AddressVector(route, LID, SERVICE_LEVEL, 0, Rate.PORT_CURRENT, 1));
        }
    }

    /** Valid on InfiniBand, impossible on Ethernet. */
    @Test
    @Covers("RXE-77")
    void aPeerWithoutInterfaceIdGetsNoGlobalRoute() throws Exception {
        try (PingPongContext context = open("-m", "512", "-l", String.valueOf(SERVICE_LEVEL))) {
            assertThatExceptionOfType(ToolFailure.class)
                    .isThrownBy(() -> context.connect(List.of(new PingPongAddress(LID, PEER_QPN, PEER_PSN, Gid.ZERO))))
                    .withMessageContaining("Failed to modify QP to RTR")
                    .havingCause()
                    .withMessageContaining("needs a global route");
            assertThat(context.ends().getFirst().qp().state()).isEqualTo(QpState.INIT);
        }
    }
}
