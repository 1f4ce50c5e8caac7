// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.world.Actor;
import io.rdma4j.testing.sim.world.ConnectionSetup;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.SimLink;
import io.rdma4j.testing.sim.world.Simulation;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs four connections that send without pause over one slow link, which marks packets that meet a queue of more than
 * 20 KB.
 */
class CongestionTest {
    private static final int FLOWS = 4;
    private static final int DEPTH = 15;
    private static final int MESSAGE_BYTES = 32 << 10;
    private static final long BITS_PER_SECOND = 1_000_000_000;
    private static final int ECN_BYTES = 20_000;
    private static final int QUEUE_PACKETS = 128;
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MEASURED_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final LinkProfile SLOW =
            LinkProfile.PERFECT.withBandwidth(BITS_PER_SECOND, QUEUE_PACKETS).withEcnBytes(ECN_BYTES);

    /** Direction of the data. */
    enum Operation {
        /** The requests carry the data. */
        WRITE,
        /** The responses carry the data. */
        READ
    }

    /** Address of the first region for the peer: see {@link SimEndpoint#register(MemorySegment, Set)}. */
    private static final long FAR = 1L << Integer.SIZE;

    /** The application of one connection: writes, or reads, without end. */
    private static final class Flow implements Actor, AutoCloseable {
        final SimEndpoint from;
        final SimEndpoint to;
        private final Operation operation;
        private final MemoryRegion near;
        private final MemoryRegion far;
        private int underWay;
        long bytes;

        Flow(SimHost from, SimHost to, Operation operation) {
            QpCapabilities capabilities = QpCapabilities.of(DEPTH, DEPTH);
            this.operation = operation;
            this.from = new SimEndpoint(from, capabilities, SignalType.ALL_WR, false);
            this.to = new SimEndpoint(to, capabilities, SignalType.ALL_WR, false);
            Set<AccessFlag> rights = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
            near = this.from.register(MESSAGE_BYTES);
            far = this.to.register(MESSAGE_BYTES, rights);
            ConnectionSetup connection = new ConnectionSetup(Mtu.MTU_1024, 10, 7, 7, 12, 100, 100, 4, 4, rights);
            this.from.connect(this.to, connection);
            this.to.connect(this.from, connection);
        }

        @Override
        public boolean act(long nowNs) {
            boolean acted = false;
            for (WorkCompletion wc : from.sendCq().poll(DEPTH)) {
                assertThat(wc.status()).isEqualTo(WcStatus.SUCCESS);
                underWay--;
                bytes += MESSAGE_BYTES;
            }
            for (; underWay < DEPTH; underWay++) {
                SendBatch batch = from.qp().startSend();
                (operation == Operation.READ ? batch.rdmaRead(far.rkey(), FAR) : batch.rdmaWrite(far.rkey(), FAR))
                        .sge(near.lkey(), near.address(), MESSAGE_BYTES)
                        .complete();
                acted = true;
            }
            return acted;
        }

        @Override
        public long nextActionNs() {
            return Deadline.NEVER;
        }

        @Override
        public void close() {
            from.close();
            to.close();
        }
    }

    /** Measurements of one run after the start phase, in which all connections send at full rate. */
    private record Measured(
            long overflowed, long marked, long retransmitted, long cnps, long mostWaiting, List<Long> bytes) {
        double utilisation() {
            long sum = bytes.stream().mapToLong(Long::longValue).sum();
            return sum * 8e9 / MEASURED_NS / BITS_PER_SECOND;
        }
    }

    private static Measured measure(TransportOptions options, Operation operation) {
        List<Flow> flows = new ArrayList<>();
        try (Simulation simulation = new Simulation(1, LinkProfile.PERFECT)) {
            SimHost sender = simulation.addHost(Gid.ofIpv4(0x0A00_0001), 4224, options.withRetrySevenForever());
            SimHost receiver = simulation.addHost(Gid.ofIpv4(0x0A00_0002), 4224, options.withRetrySevenForever());
            SimLink link = simulation.network().link(0, 1);
            link.profile(SLOW);
            for (int i = 0; i < FLOWS; i++) {
                Flow flow = operation == Operation.READ
                        ? new Flow(receiver, sender, operation)
                        : new Flow(sender, receiver, operation);
                flows.add(flow);
                simulation.addActor(flow);
            }
            try {
                simulation.run(() -> false, WARM_UP_NS);
                return measure(simulation, flows, link);
            } finally {
                flows.forEach(Flow::close);
            }
        }
    }

    private static Measured measure(Simulation simulation, List<Flow> flows, SimLink link) {
        TransportCounters atFlow = flows.getFirst().from.host().port().counters();
        TransportCounters sender = simulation.hosts().get(0).port().counters();
        TransportCounters receiver = simulation.hosts().get(1).port().counters();
        long overflowed = link.stats().count(LinkEvent.QUEUE_FULL);
        long marked = link.stats().count(LinkEvent.MARKED);
        long retransmitted = atFlow.retransmittedPackets;
        long cnps = receiver.sentCnps;
        flows.forEach(flow -> flow.bytes = 0);
        long[] most = {0};
        simulation.run(
                () -> {
                    most[0] = Math.max(
                            most[0], link.waitingBytes(simulation.clock().nanoTime()));
                    return false;
                },
                MEASURED_NS);
        assertThat(receiver.sentCnps - sender.handledCnps).isBetween(0L, (long) FLOWS);
        return new Measured(
                link.stats().count(LinkEvent.QUEUE_FULL) - overflowed,
                link.stats().count(LinkEvent.MARKED) - marked,
                atFlow.retransmittedPackets - retransmitted,
                receiver.sentCnps - cnps,
                most[0],
                flows.stream().map(flow -> flow.bytes).toList());
    }

    private static TransportOptions controlled() {
        return TransportOptions.DEFAULT.withCongestionControl(CongestionControl.DEFAULT.withLineRate(BITS_PER_SECOND));
    }

    @ParameterizedTest
    @EnumSource
    void withoutControlTheQueueRunsOver(Operation operation) {
        Measured measured = measure(TransportOptions.DEFAULT, operation);
        assertThat(measured.overflowed()).isGreaterThan(100);
        assertThat(measured.retransmitted()).isGreaterThan(1000);
        assertThat(measured.cnps()).isZero();
        assertThat(measured.marked()).as("nobody says that he listens").isZero();
    }

    /** Limits: no loss, a queue of at most three times the threshold, shares within a tenth of the mean. */
    @ParameterizedTest
    @EnumSource
    void withControlNothingIsLostTheQueueIsShortAndSharesAreFair(Operation operation) {
        Measured measured = measure(controlled(), operation);
        assertThat(measured.overflowed()).isZero();
        assertThat(measured.retransmitted()).isZero();
        assertThat(measured.marked()).isPositive();
        assertThat(measured.cnps()).isPositive();
        assertThat(measured.mostWaiting()).isLessThan(3 * ECN_BYTES);
        assertThat(measured.utilisation()).isGreaterThan(0.8);
        double mean =
                measured.bytes().stream().mapToLong(Long::longValue).average().orElseThrow();
        assertThat(measured.bytes())
                .allSatisfy(bytes -> assertThat((double) bytes).isBetween(0.9 * mean, 1.1 * mean));
    }
}
