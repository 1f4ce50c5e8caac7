// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.local.LinkRing;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketFilter;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.transport.port.TransportCounters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Links between two devices on one machine, which are replaced by packets if a tap or filter observes packets.
 */
class ProcessLinkTest {
    private static final int MESSAGES = 50;
    private static final int MANY = 2000;
    private static final int MOST_GREETINGS = 100_000;

    /** Messages after which a pair of queue pairs that gets a ring has it. */
    private static final int FIRST_MESSAGES = 1000;

    private static final int BYTES = 3000;
    private static final int FROM = 0;
    private static final int TO = 10_000;

    /** ACK timeout 4 s: a test that needs a retransmission shows as a delay. */
    private static final LinkSetup LONG_TIMEOUTS = new LinkSetup(Mtu.MTU_1024, 0x123456, 20, 7, 7, 12, 1);

    /** Packets per message. */
    private static final int PACKETS = 3;

    private final UdpPair pair =
            new UdpPair(RxeOptions.DEFAULT.withSharedMemory(true), EndpointSetup.OPEN, LONG_TIMEOUTS);
    private final Endpoint a = pair.a;
    private final Endpoint b = pair.b;

    @BeforeEach
    void meet() {
        greet(true);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void message() {
        b.postReceive(1, TO, BYTES);
        a.postSend(2, FROM, BYTES);
        Progress.awaitMessage(a.sendCq, b.receiveCq);
    }

    private void write() {
        a.qp.startSend()
                .wrId(3)
                .signaled()
                .rdmaWrite(b.mr.rkey(), b.remote(TO))
                .sge(a.mr.lkey(), a.memory.address() + FROM, BYTES)
                .complete();
        Progress.await(a.sendCq, b.receiveCq, false);
    }

    private void writeWithImmediate() {
        b.postReceive(1, 0, 0);
        a.qp.startSend()
                .wrId(4)
                .signaled()
                .rdmaWriteImm(b.mr.rkey(), b.remote(TO), 9)
                .sge(a.mr.lkey(), a.memory.address() + FROM, BYTES)
                .complete();
        Progress.awaitMessage(a.sendCq, b.receiveCq);
    }

    /** Sends messages until one goes by the link, or until one does not. */
    private void greet(boolean acceptsMessages) {
        for (int i = 0; i < MOST_GREETINGS; i++) {
            long before = delivered();
            message();
            if (delivered() > before == acceptsMessages) {
                return;
            }
        }
        throw new AssertionError(acceptsMessages ? "messages never go by the link" : "messages always go by the link");
    }

    /** True if one of the first messages goes by a link. */
    private boolean isLinked(Endpoint from, Endpoint to) {
        long before = delivered();
        for (int i = 0; i < FIRST_MESSAGES && delivered() == before; i++) {
            to.postReceive(1, TO, BYTES);
            from.postSend(2, FROM, BYTES);
            Progress.awaitMessage(from.sendCq, to.receiveCq);
        }
        return delivered() > before;
    }

    private long delivered() {
        return sent(pair);
    }

    private static long sent(UdpPair by) {
        by.firstPort().counters();
        return by.firstCounted("shm_tx_link_messages");
    }

    private void fill(int seed) {
        for (int i = 0; i < BYTES; i++) {
            a.memory.set(ValueLayout.JAVA_BYTE, FROM + i, (byte) (seed + i * 7));
        }
    }

    private void assertArrived() {
        assertThat(MemorySegment.mismatch(a.memory, FROM, FROM + BYTES, b.memory, TO, TO + BYTES))
                .isEqualTo(-1);
    }

    @Test
    void messagesAndWritesGoByTheLinkAndCountAsPackets() {
        TransportCounters sender = pair.firstPort().counters();
        TransportCounters receiver = pair.secondPort().counters();
        long delivered = delivered();
        long packets = pair.firstCounted("shm_tx_packets");
        long sent = sender.sentPackets;
        long received = receiver.receivedPackets;
        long txPackets = pair.firstPort().device().stats().txPackets();
        long rxPackets = pair.secondPort().device().stats().rxPackets();
        for (int i = 0; i < MESSAGES; i++) {
            fill(i);
            message();
            assertArrived();
            fill(i + 1);
            write();
            assertArrived();
            fill(i + 2);
            writeWithImmediate();
            assertArrived();
        }
        assertThat(delivered() - delivered).isEqualTo(3 * MESSAGES);
        assertThat(pair.firstCounted("shm_tx_packets")).isEqualTo(packets);
        assertThat(pair.secondPort().counters()).isSameAs(receiver);
        assertThat(pair.secondCounted("shm_rx_link_messages")).isGreaterThanOrEqualTo(3 * MESSAGES);
        assertThat(sender.sentPackets - sent).isEqualTo(3 * MESSAGES * PACKETS);
        assertThat(receiver.receivedPackets - received).isEqualTo(3 * MESSAGES * PACKETS);
        assertThat(pair.firstPort().device().stats().txPackets() - txPackets).isEqualTo(3 * MESSAGES * PACKETS);
        assertThat(pair.secondPort().device().stats().rxPackets() - rxPackets).isEqualTo(3 * MESSAGES * PACKETS);
        assertThat(pair.dropped()).isZero();
    }

    private static boolean isRequest(SkBuff skb) {
        return skb.len() > BYTES / PACKETS;
    }

    /** The observer sees each message as packets, and the first one does not wait for a timer. */
    private void assertSeen(AtomicInteger requests) {
        TransportCounters sender = pair.firstPort().counters();
        long retries = sender.retries;
        for (int i = 0; i < MESSAGES; i++) {
            int before = requests.get();
            fill(i);
            message();
            assertArrived();
            assertThat(requests.get()).as("requests seen with message %d", i).isGreaterThan(before);
            assertThat(sender.retries).as("retries up to message %d", i).isEqualTo(retries);
        }
    }

    @Test
    void whoListensAtTheReceiverSeesEveryMessageAsPackets() {
        RxePort port = pair.secondPort();
        AtomicInteger requests = new AtomicInteger();
        PacketTap tap = skb -> requests.addAndGet(isRequest(skb) ? 1 : 0);
        port.netLoop().exclusively(() -> port.device().protocols().addTap(EtherType.ALL, tap));
        assertSeen(requests);
        port.netLoop().exclusively(() -> port.device().protocols().removeTap(tap));
        greet(true);
    }

    @Test
    void aFilterAtTheSenderSeesThemToo() {
        RxePort port = pair.firstPort();
        AtomicInteger requests = new AtomicInteger();
        PacketFilter filter = counting(requests);
        port.netLoop().exclusively(() -> port.device().hooks().register(HookPoint.EGRESS, 0, filter));
        assertSeen(requests);
        port.netLoop().exclusively(() -> port.device().hooks().unregister(HookPoint.EGRESS, filter));
        greet(true);
    }

    @Test
    void aFilterInTheIpLayerOfTheReceiverSeesThemToo() {
        RxePort port = pair.secondPort();
        AtomicInteger requests = new AtomicInteger();
        PacketFilter filter = counting(requests);
        port.netLoop().exclusively(() -> port.stack().hooks().register(HookPoint.INPUT, 0, filter));
        assertSeen(requests);
        port.netLoop().exclusively(() -> port.stack().hooks().unregister(HookPoint.INPUT, filter));
        greet(true);
    }

    private static PacketFilter counting(AtomicInteger requests) {
        return (_, skb, _, _) -> {
            requests.addAndGet(isRequest(skb) ? 1 : 0);
            return true;
        };
    }

    @Test
    void queuePairsBeyondTheRingsOfAChannelSendPackets() {
        List<Endpoint> open = new ArrayList<>();
        int linked = 1;
        try {
            for (int i = 0; i < LinkRing.COUNT; i++) {
                Endpoint near = new Endpoint(pair, pair.first(), EndpointSetup.OPEN);
                open.add(near);
                Endpoint far = new Endpoint(pair, pair.second(), EndpointSetup.OPEN);
                open.add(far);
                near.connectTo(far, LONG_TIMEOUTS);
                far.connectTo(near, LONG_TIMEOUTS);
                linked += isLinked(near, far) ? 1 : 0;
            }
        } finally {
            open.forEach(Endpoint::close);
        }
        assertThat(linked).isEqualTo(LinkRing.COUNT);
    }

    /**
     * A third process connects its queue pair to one that is connected to another peer. It also has the PSN of the next
     * packet.
     */
    @Test
    void aMessageOfAStrangerIsDropped() {
        RxeOptions shared = RxeOptions.DEFAULT.withSharedMemory(true);
        try (Endpoint peer = new Endpoint(pair, pair.first(), EndpointSetup.OPEN);
                Endpoint victim = new Endpoint(pair, pair.second(), EndpointSetup.OPEN);
                Endpoint friend = new Endpoint(pair, pair.second(), EndpointSetup.OPEN);
                UdpPair strangers = new UdpPair(60, shared, EndpointSetup.OPEN, LONG_TIMEOUTS);
                Endpoint stranger = new Endpoint(strangers, strangers.first(), EndpointSetup.OPEN);
                Endpoint knower = new Endpoint(strangers, strangers.first(), EndpointSetup.OPEN)) {
            victim.connectTo(peer, LONG_TIMEOUTS);
            stranger.connectTo(victim, LONG_TIMEOUTS);
            // The stranger's process has a local channel to the victim's process, because of another connection.
            knower.connectTo(friend, LONG_TIMEOUTS);
            friend.connectTo(knower, LONG_TIMEOUTS);
            for (int i = 0; i < MOST_GREETINGS && sent(strangers) == 0; i++) {
                friend.postReceive(1, TO, BYTES);
                knower.postSend(2, FROM, BYTES);
                Progress.awaitMessage(knower.sendCq, friend.receiveCq);
            }
            assertDropped(
                    victim,
                    () -> pair.secondPort().inputCounters().wrongAddress,
                    () -> stranger.postSend(5, FROM, BYTES));
        }
    }

    @Test
    void aMessageOfAnotherPartitionIsDropped() {
        pair.firstPort().setPkey(0, 0x8123);
        assertDropped(b, () -> pair.secondPort().inputCounters().badPkey, () -> a.postSend(5, FROM, BYTES));
    }

    /**
     * The link of the message is closed, the message is counted as dropped, and it completes nothing, although it has
     * the expected PSN.
     */
    private static void assertDropped(Endpoint at, LongSupplier dropped, Runnable send) {
        long before = dropped.getAsLong();
        at.postReceive(1, TO, BYTES);
        send.run();
        boolean received = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (dropped.getAsLong() == before && !received && System.nanoTime() - end < 0) {
            received = !at.receiveCq.poll(1).isEmpty();
        }
        assertThat(received).as("received").isFalse();
        assertThat(dropped.getAsLong()).as("dropped").isGreaterThan(before);
        assertThat(at.receiveCq.poll(1)).isEmpty();
    }

    @Test
    void aDeviceThatWasDownUsesLinksAgain() {
        for (RxePort port : new RxePort[] {pair.firstPort(), pair.secondPort()}) {
            port.netLoop().exclusively(port.device()::down);
            port.netLoop().exclusively(port.device()::up);
            fill(5);
            greet(true);
            assertArrived();
        }
    }

    /** Each end sends by the channel that it has made. */
    @Test
    void bothDirectionsGoByTheLinkIfBothEndsHaveConnectedAtOnce() {
        RxeOptions shared = RxeOptions.DEFAULT.withSharedMemory(true);
        try (UdpPair crossed = UdpPair.connectedAtOnce(62, shared, EndpointSetup.OPEN, LONG_TIMEOUTS)) {
            long answers = 0;
            for (int i = 0; i < MOST_GREETINGS && (sent(crossed) == 0 || answers == 0); i++) {
                crossed.b.postReceive(1, TO, BYTES);
                crossed.a.postSend(2, FROM, BYTES);
                Progress.awaitMessage(crossed.a.sendCq, crossed.b.receiveCq);
                crossed.a.postReceive(1, TO, BYTES);
                crossed.b.postSend(2, FROM, BYTES);
                Progress.awaitMessage(crossed.b.sendCq, crossed.a.receiveCq);
                crossed.secondPort().counters();
                answers = crossed.secondCounted("shm_tx_link_messages");
            }
            assertThat(crossed.firstCounted("shm_channels")).isEqualTo(2);
            assertThat(sent(crossed)).isPositive();
            assertThat(answers).isPositive();
        }
    }

    @Test
    void linksAllocateNothing() throws Exception {
        long delivered = delivered();
        long allocated = Allocations.inSteadyState("rdma4j-", () -> {
            for (int i = 0; i < MANY; i++) {
                message();
                write();
                writeWithImmediate();
            }
        });
        assertThat(allocated).as("less than a byte a message").isLessThan(MANY);
        assertThat(delivered() - delivered).isGreaterThanOrEqualTo(3 * MANY);
    }
}
