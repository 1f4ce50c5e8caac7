// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.net.sched.TokenBucket;
import io.rdma4j.net.transmit.FlowOwner;
import io.rdma4j.net.transmit.FlowQueue;
import io.rdma4j.net.transmit.NetdevQueue;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.net.transmit.TrafficClasses;
import io.rdma4j.net.transmit.TransmitQueues;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Logs;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TransmitQueuesTest {
    private static final int BUFFERS = 64;
    private static final long SECOND = 1_000_000_000;

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 256);
    private final NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
    private final Card card = new Card();
    private final List<NetDevice> devices = new ArrayList<>();

    /** A driver of four queues with a queue length; records "queue:priority" of each packet. */
    private static final class Card implements NetDeviceOps {
        final List<String> sent = new ArrayList<>();
        final List<String> stalls = new ArrayList<>();
        int queues = 4;
        int length = TransmitQueues.ETHERNET_LENGTH;
        int room = Integer.MAX_VALUE;
        int choice = NO_QUEUE_CHOSEN;

        @Nullable
        NetDevice through;

        @Override
        public int transmitQueues() {
            return queues;
        }

        @Override
        public int queueLength() {
            return length;
        }

        @Override
        public int selectQueue(SkBuff skb, NetDevice device) {
            return choice;
        }

        @Override
        public NetdevTx startXmit(SkBuff skb, NetDevice device) {
            NetDevice next = through;
            if (next != null) {
                return next.transmit(skb);
            }
            if (room == 0) {
                return NetdevTx.BUSY;
            }
            sent.add(skb.meta().queueMapping() + ":" + skb.meta().priority());
            if (--room == 0) {
                device.transmitQueues().queue(skb.meta().queueMapping()).stop();
            }
            skb.free();
            return NetdevTx.OK;
        }

        @Override
        public void txTimeout(NetDevice device, int queue) {
            stalls.add(device.name() + " " + queue);
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice device) {
            return null;
        }
    }

    @AfterEach
    void close() {
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    private NetDevice device(NetDeviceOps ops, NetDeviceFeature... features) {
        NetDeviceSetup setup = new NetDeviceSetup(LinkType.IP, "eth0", 1, 1500, 0, List.of(), FeatureSet.of(features));
        NetDevice device = NetHost.standalone(new NetDevice(setup, ops));
        devices.add(device);
        loop.add(device);
        device.up();
        return device;
    }

    private SkBuff packet(int priority, int hash) {
        SkBuff skb = Packets.allocate(pool);
        skb.put(20);
        skb.meta().priority(priority);
        skb.meta().hash(hash);
        return skb;
    }

    private void send(NetDevice device, int priority) {
        assertThat(device.transmit(packet(priority, 0))).isEqualTo(NetdevTx.OK);
    }

    private static void assertInvalid(Runnable wrong) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(wrong::run)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    // Number of queues

    @Test
    @Covers({"NQ-6", "NQ-7", "NQ-8", "NQ-9"})
    void aDeviceHasTheQueuesOfItsDriver() {
        TransmitQueues queues = device(card).transmitQueues();
        assertThat(queues.count()).isEqualTo(4);
        assertThat(queues.realCount()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            assertThat(queues.queue(i).index()).isEqualTo(i);
        }
        assertInvalid(() -> queues.queue(4));
        assertInvalid(() -> queues.queue(-1));
    }

    @Test
    @Covers({"NQ-9", "NQ-10"})
    void onlyQueuesInUseAreSentTo() {
        NetDevice device = device(card);
        TransmitQueues queues = device.transmitQueues();
        queues.queue(3).stop();
        device.transmit(packet(0, -1));
        assertThat(queues.queue(3).qdisc()).isNotNull();
        queues.realCount(2);
        assertThat(queues.realCount()).isEqualTo(2);
        assertThat(queues.count()).isEqualTo(4);
        assertThat(queues.queue(3).drops()).as("what waited there").isEqualTo(1);
        device.transmit(packet(0, -1));
        assertThat(card.sent).containsExactly("1:0");
        assertInvalid(() -> queues.realCount(0));
        assertInvalid(() -> queues.realCount(5));
    }

    // Choice of the queue

    @Test
    @Covers({"NDEV-114", "NDEV-115"})
    void theDriverSelectsTheQueueAndIfItDoesNotTheDeviceDoes() {
        NetDevice device = device(card);
        card.choice = 2;
        device.transmit(packet(0, 0));
        card.choice = NetDeviceOps.NO_QUEUE_CHOSEN;
        device.transmit(packet(0, 0x4000_0000));
        assertThat(card.sent).containsExactly("2:0", "1:0");
        card.choice = 4;
        assertThat(Logs.of(TransmitQueues.class, () -> {
                    device.transmit(packet(0, 0));
                    device.transmit(packet(0, 0));
                }))
                .containsExactly("WARNING eth0 selects transmit queue 4, but has 4 in use");
        assertThat(card.sent).endsWith("0:0", "0:0");
    }

    /** Without a flow, the second packet would use queue 3 and the fourth one queue 0. */
    @Test
    @Covers("SKB-67")
    void aFlowChangesItsQueueOnlyWithAPacketThatMayOvertake() {
        NetDevice device = device(card);
        FlowQueue queue = new FlowQueue();
        FlowOwner flow = () -> queue;
        device.transmit(packet(0, 0, flow, false));
        device.transmit(packet(1, -1, flow, false));
        device.transmit(packet(2, -1, flow, true));
        device.transmit(packet(3, 0, flow, false));
        assertThat(card.sent).containsExactly("0:0", "0:1", "3:2", "3:3");
        device.transmitQueues().realCount(2);
        device.transmit(packet(4, 0, flow, false));
        device.transmit(packet(5, -1));
        assertThat(card.sent)
                .as("queue 3 is not in use, and others have a queue of their own")
                .endsWith("0:4", "1:5");
    }

    private SkBuff packet(int priority, int hash, FlowOwner flow, boolean mayOvertake) {
        SkBuff skb = packet(priority, hash);
        skb.meta().owner(flow);
        skb.meta().oooOkay(mayOvertake);
        return skb;
    }

    @Test
    @Covers("NDEV-115")
    void theQueueThatAPacketCameInByIsKept() {
        NetDevice device = device(card);
        for (int recorded = 1; recorded <= 5; recorded++) {
            SkBuff skb = packet(0, -1);
            skb.meta().queueMapping(recorded);
            device.transmit(skb);
        }
        assertThat(card.sent).containsExactly("0:0", "1:0", "2:0", "3:0", "0:0");
    }

    @Test
    @Covers({"NQ-28", "NQ-29", "NQ-30", "NQ-31", "NQ-32"})
    void aPriorityBelongsToAClassWhichHasItsQueues() {
        NetDevice device = device(card);
        TrafficClasses classes = device.transmitQueues().classes();
        assertThat(classes.count()).isZero();
        classes.count(2);
        classes.queues(0, 0, 1);
        classes.queues(1, 1, 3);
        classes.map(5, 1);
        assertThat(classes.count()).isEqualTo(2);
        assertThat(classes.classOf(5)).isEqualTo(1);
        assertThat(classes.classOf(0x15)).as("four bits count").isEqualTo(1);
        assertThat(classes.firstQueue(1)).isEqualTo(1);
        assertThat(classes.queueCount(1)).isEqualTo(3);
        device.transmit(packet(4, -1));
        device.transmit(packet(5, 0));
        device.transmit(packet(5, -1));
        assertThat(card.sent).containsExactly("0:4", "1:5", "3:5");
        classes.reset();
        device.transmit(packet(5, 0));
        assertThat(card.sent).endsWith("0:5");
    }

    @Test
    @Covers({"NQ-29", "NQ-31"})
    void thereAreSixteenClassesAtMost() {
        TrafficClasses classes = device(card).transmitQueues().classes();
        classes.count(16);
        assertInvalid(() -> classes.count(17));
        assertInvalid(() -> classes.count(-1));
        classes.count(2);
        assertInvalid(() -> classes.map(1, 2));
        assertInvalid(() -> classes.queues(2, 0, 1));
        assertInvalid(() -> classes.queues(1, 2, 3));
        assertInvalid(() -> classes.queues(1, 0, 0));
    }

    // Waiting packets

    @Test
    @Covers({"NQ-13", "NQ-14"})
    void packetsWaitInPfifoFastByDefaultAndOnAVirtualDeviceNotAtAll() {
        NetDevice device = device(card);
        TransmitQueues queues = device.transmitQueues();
        assertThat(queues.length()).isEqualTo(1000);
        assertThat(queues.queue(3).qdiscKind()).isEqualTo("pfifo_fast");
        Card plain = new Card();
        plain.length = 0;
        NetDevice virtual = device(plain);
        assertThat(virtual.transmitQueues().length()).isZero();
        assertThat(virtual.transmitQueues().queue(0).qdiscKind()).isEqualTo("noqueue");
        assertThat(TransmitQueues.FDDI_LENGTH).isEqualTo(100);
    }

    @Test
    @Covers("NQ-14")
    void asManyWaitAsTheLengthOfTheQueueSays() {
        card.queues = 1;
        NetDevice device = device(card);
        TransmitQueues queues = device.transmitQueues();
        queues.length(2);
        assertThat(queues.length()).isEqualTo(2);
        queues.queue(0).stop();
        for (int i = 0; i < 3; i++) {
            send(device, 0);
        }
        assertThat(queues.queue(0).drops()).isEqualTo(1);
        assertThat(device.stats().txDropped()).isEqualTo(1);
        assertInvalid(() -> queues.length(-1));
        device.down();
        assertThat(pool.available()).as("what waited is gone").isEqualTo(BUFFERS);
    }

    @Test
    @Covers("NQ-14")
    void aVirtualDeviceThatIsGivenALengthLetsPacketsWaitWhenItNextGoesUp() {
        card.length = 0;
        NetDevice virtual = device(card);
        virtual.transmitQueues().length(10);
        virtual.down();
        virtual.up();
        assertThat(virtual.transmitQueues().queue(0).qdiscKind()).isEqualTo("pfifo_fast");
    }

    @Test
    @Covers("NQ-13")
    void theMostUrgentBandGoesFirstWhenTheDriverTakesPacketsAgain() {
        card.queues = 1;
        NetDevice device = device(card);
        card.room = 1;
        for (int priority : new int[] {0, 2, 0, 6}) {
            send(device, priority);
        }
        assertThat(card.sent).containsExactly("0:0");
        assertThat(device.transmitQueues().queue(0).isStopped()).isTrue();
        card.room = 10;
        device.transmitQueues().queue(0).wake();
        loop.progress(0);
        assertThat(card.sent).containsExactly("0:0", "0:6", "0:0", "0:2");
    }

    @Test
    void whatTheDriverDoesNotTakeGoesBeforeTheOthersAtTheNextTry() {
        card.queues = 1;
        card.room = 0;
        NetDevice device = device(card);
        send(device, 2);
        send(device, 6);
        assertThat(device.transmitQueues().queue(0).requeues()).isEqualTo(2);
        assertThat(device.transmitQueues().isHeldBack()).isTrue();
        card.room = 10;
        loop.progress(0);
        assertThat(card.sent).containsExactly("0:2", "0:6");
        assertThat(device.transmitQueues().isHeldBack()).isFalse();
        assertThat(device.transmitQueues().isActive()).isFalse();
    }

    @Test
    @Covers("NQ-13")
    void theQdiscIsReplacedAtRunTimeAndARateHoldsInVirtualTime() {
        card.queues = 1;
        NetDevice device = device(card);
        NetdevQueue queue = device.transmitQueues().queue(0);
        queue.qdisc(new TokenBucket(20, 20, 100));
        assertThat(queue.qdiscKind()).isEqualTo("tbf");
        loop.progress(SECOND);
        for (int i = 0; i < 3; i++) {
            send(device, i);
        }
        loop.progress(SECOND);
        assertThat(card.sent).hasSize(1);
        assertThat(loop.nextDeadlineNs()).isEqualTo(2 * SECOND);
        loop.progress(2 * SECOND - 1);
        assertThat(card.sent).hasSize(1);
        loop.progress(2 * SECOND);
        assertThat(card.sent).hasSize(2);
        queue.qdisc(new PfifoFast(10));
        assertThat(queue.drops()).as("what waited in the former").isEqualTo(1);
        send(device, 3);
        assertThat(card.sent).containsExactly("0:0", "0:1", "0:3");
        loop.progress(3 * SECOND);
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        queue.qdisc(null);
        assertThat(queue.qdiscKind()).isEqualTo("noqueue");
        device.down();
        device.up();
        assertThat(queue.qdiscKind()).as("as chosen").isEqualTo("noqueue");
    }

    /** The device must not read memory after its release. */
    @Test
    void whatWaitsCanBeDropped() {
        card.queues = 1;
        card.room = 0;
        NetDevice device = device(card);
        for (int priority = 0; priority < 4; priority++) {
            send(device, priority);
        }
        assertThat(device.dropWaiting(skb -> skb.meta().priority() != 1)).isEqualTo(3);
        assertThat(pool.available()).isEqualTo(BUFFERS - 1);
        assertThat(device.stats().txDropped()).isEqualTo(3);
    }

    // The transmit lock

    @Test
    @Covers({"NDEV-91", "NDEV-92"})
    void aPacketThatComesBackToTheDeviceThatSendsItIsDroppedUnlessTheDeviceIsLockless() {
        card.length = 0;
        NetDevice device = device(card);
        card.through = device;
        assertThat(Logs.of(NetdevQueue.class, () -> {
                    send(device, 0);
                    send(device, 0);
                }))
                .containsExactly("SEVERE eth0: dead loop: what it sends comes back to it to be sent, and is dropped");
        assertThat(device.stats().txDropped()).isEqualTo(2);

        Card tunnel = new Card();
        tunnel.length = 0;
        NetDevice lockless = device(tunnel, NetDeviceFeature.LLTX);
        NetDeviceOps once = new NetDeviceOps() {
            @Override
            public NetdevTx startXmit(SkBuff skb, NetDevice lower) {
                tunnel.through = null;
                return lockless.transmit(skb);
            }

            @Override
            public @Nullable SkBuff pollReceive(NetDevice lower) {
                return null;
            }
        };
        tunnel.through = device(once);
        send(lockless, 7);
        assertThat(tunnel.sent).containsExactly("0:7");
    }

    // The watchdog

    @Test
    @Covers({"NDEV-119", "NDEV-186", "NDEV-187"})
    void aDriverThatTakesNothingForTooLongIsToldSo() {
        NetDevice device = device(card);
        TransmitQueues queues = device.transmitQueues();
        loop.progress(7 * SECOND);
        device.transmit(packet(0, 0x4000_0000));
        assertThat(queues.queue(1).transStartNs()).isEqualTo(7 * SECOND);
        queues.queue(1).stop();
        loop.progress(8 * SECOND);
        assertThat(loop.nextDeadlineNs())
                .as("five seconds after the last packet")
                .isEqualTo(12 * SECOND);
        loop.progress(12 * SECOND - 1);
        assertThat(card.stalls).isEmpty();
        loop.progress(12 * SECOND);
        assertThat(card.stalls).containsExactly("eth0 1");
        assertThat(queues.queue(1).timeouts()).isEqualTo(1);
        loop.progress(13 * SECOND);
        assertThat(card.stalls).hasSize(1);
        loop.progress(17 * SECOND);
        assertThat(card.stalls).as("as long again").hasSize(2);
        queues.queue(1).wake();
        loop.progress(30 * SECOND);
        assertThat(card.stalls).hasSize(2);
    }

    @Test
    @Covers("NDEV-187")
    void theTimeOfTheWatchdogCanBeChangedAndWithoutCarrierItDoesNotWatch() {
        NetDevice device = device(card);
        TransmitQueues queues = device.transmitQueues();
        queues.watchdogTimeoNs(SECOND);
        assertThat(queues.watchdogTimeoNs()).isEqualTo(SECOND);
        queues.queue(0).stop();
        device.setCarrier(false);
        loop.progress(10 * SECOND);
        assertThat(card.stalls).isEmpty();
        device.setCarrier(true);
        loop.progress(10 * SECOND);
        loop.progress(10 * SECOND);
        assertThat(card.stalls).containsExactly("eth0 0");
        queues.watchdogTimeoNs(0);
        assertThat(queues.watchdogTimeoNs()).isEqualTo(5 * SECOND);
    }

    @Test
    void nothingIsAllocated() {
        card.queues = 1;
        NetDeviceOps quiet = new NetDeviceOps() {
            @Override
            public int queueLength() {
                return 100;
            }

            @Override
            public NetdevTx startXmit(SkBuff skb, NetDevice device) {
                skb.free();
                return NetdevTx.OK;
            }

            @Override
            public @Nullable SkBuff pollReceive(NetDevice device) {
                return null;
            }
        };
        NetDevice device = device(quiet);
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        device.transmit(packet(i & 15, i));
                        loop.progress(i);
                    }
                }))
                .isZero();
    }
}
