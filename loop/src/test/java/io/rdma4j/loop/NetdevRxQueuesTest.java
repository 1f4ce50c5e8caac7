// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.QueueNode;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.receive.IngressQueue;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.receive.NetdevRxQueues;
import io.rdma4j.net.receive.Softnet;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NetdevRxQueuesTest {
    private static final int BUFFERS = 256;
    private static final Gid HERE = Gid.parse("::ffff:10.0.0.1");
    private static final Gid THERE = Gid.parse("::ffff:10.0.0.2");

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 256);
    private final NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
    private final NetDevice made =
            new NetDevice(new NetDeviceSetup(LinkType.IP, "eth0", 1, 1500, 0, List.of(), FeatureSet.NONE), new Card());
    private final NetdevRxQueues queues = made.receiveQueues();
    private final List<Integer> received = new ArrayList<>();

    private static final class Card implements NetDeviceOps {
        @Override
        public int receiveQueues() {
            return 4;
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
    }

    private NetDevice up() {
        NetDevice device = NetHost.standalone(made);
        device.rxHandler().registerReceiver(skb -> {
            received.add(skb.meta().queueMapping());
            skb.free();
        });
        loop.add(device);
        device.up();
        return device;
    }

    @AfterEach
    void close() {
        if (made.isUp()) {
            made.unregister();
        }
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    private SkBuff packet(int flow) {
        return Packets.udp(pool, THERE, 1000 + flow, HERE, 4791, new byte[4]);
    }

    private static void assertInvalid(Runnable wrong) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(wrong::run)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    @Covers({"NQ-1", "NQ-2", "NQ-4", "NQ-5"})
    void aDeviceHasTheQueuesOfItsDriverAndUsesSomeOfThem() {
        assertThat(queues.count()).isEqualTo(4);
        assertThat(queues.realCount()).isEqualTo(4);
        assertThat(queues.queue(3).index()).isEqualTo(3);
        queues.realCount(2);
        assertThat(queues.realCount()).isEqualTo(2);
        assertThat(queues.count()).isEqualTo(4);
        assertInvalid(() -> queues.realCount(0));
        assertInvalid(() -> queues.realCount(5));
        assertInvalid(() -> queues.queue(4));
    }

    @Test
    @Covers({"NQ-5", "NQ-12"})
    void theQueuesInUseAreInTheTreeWhileTheDeviceIsRegistered() {
        assertThat(QueueNode.of(made)).isEmpty();
        queues.realCount(3);
        assertThat(QueueNode.of(made)).as("not registered yet").isEmpty();
        NetDevice device = up();
        assertThat(QueueNode.of(device).stream().map(QueueNode::path))
                .containsExactly("queues/rx-0", "queues/rx-1", "queues/rx-2", "queues/tx-0");
        queues.realCount(1);
        queues.queue(0).rpsCpus(0b1010);
        device.transmitQueues().classes().count(2);
        device.transmitQueues().classes().queues(1, 0, 1);
        List<QueueNode> nodes = QueueNode.of(device);
        assertThat(nodes.stream().map(QueueNode::path)).containsExactly("queues/rx-0", "queues/tx-0");
        assertThat(value(nodes.get(0), "rps_cpus")).isEqualTo("a");
        assertThat(value(nodes.get(1), "traffic_class")).isEqualTo("1");
        assertThat(value(nodes.get(1), "tx_timeout")).isEqualTo("0");
        device.unregister();
        assertThat(QueueNode.of(device)).isEmpty();
    }

    private static String value(QueueNode node, String name) {
        return node.attributes()
                .getOrDefault(name, DeviceAttribute.readOnly(() -> "none"))
                .show()
                .get();
    }

    @Test
    @Covers("NQ-3")
    void theWorkerOfAPacketIsChosenByItsFlow() {
        NetDevice device = up();
        queues.queue(0).rpsCpus(0b1101);
        int[] before = new int[Softnet.MAX_WORKERS];
        Set<Integer> chosen = new HashSet<>();
        for (int flow = 0; flow < 40; flow++) {
            device.receive(packet(flow));
            int first = workerThatGot(before);
            device.receive(packet(flow));
            assertThat(workerThatGot(before)).as("the same flow").isEqualTo(first);
            chosen.add(first);
        }
        assertThat(chosen).containsExactlyInAnyOrder(0, 2, 3);
        assertThat(received).as("they wait for their worker").isEmpty();
        loop.progress(0);
        assertThat(received).hasSize(80);
        assertThat(device.stats().rxPackets()).isEqualTo(80);
        assertThat(device.stats().rxBytes()).isEqualTo(80 * 32);
    }

    private int workerThatGot(int[] before) {
        int got = -1;
        for (int worker = 0; worker < before.length; worker++) {
            int waiting = loop.softnet().worker(worker).backlog();
            if (waiting != before[worker]) {
                assertThat(got).isEqualTo(-1);
                got = worker;
            }
            before[worker] = waiting;
        }
        return got;
    }

    /** Each queue has its own workers; the queue mapping of a packet selects the queue. */
    @Test
    @Covers({"NQ-1", "NQ-3"})
    void eachQueueHasItsWorkers() {
        NetDevice device = up();
        queues.queue(1).rpsCpus(0b100);
        device.receive(packet(0));
        assertThat(received).as("by queue 0: at once").containsExactly(0);
        SkBuff second = packet(0);
        second.meta().queueMapping(2);
        device.receive(second);
        assertThat(loop.softnet().worker(2).backlog()).isEqualTo(1);
        loop.progress(0);
        assertThat(received).containsExactly(0, 2);
        queues.queue(1).rpsCpus(0);
        SkBuff third = packet(0);
        third.meta().queueMapping(2);
        device.receive(third);
        assertThat(received).hasSize(3);
    }

    /** The numbers of the feature list: 118 packets, and one without room. */
    @Test
    @Covers("NDEV-194")
    void aFullBacklogDropsAndTheTableOfWorkersSaysSo() {
        NetDevice device = up();
        queues.queue(0).rpsCpus(0b10);
        assertThat(loop.softnet().maxBacklog()).isEqualTo(1000);
        loop.softnet().maxBacklog(118);
        for (int i = 0; i < 119; i++) {
            device.receive(packet(0));
        }
        assertThat(loop.softnet().worker(1).dropped()).isEqualTo(1);
        assertThat(device.stats().rxDropped()).isEqualTo(1);
        loop.progress(0);
        assertThat(received).hasSize(118);
        assertThat(loop.softnet().lines())
                .containsExactly("00000076 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
                        + "00000076 00000000 00000000 00000001");
        assertInvalid(() -> loop.softnet().maxBacklog(0));
    }

    @Test
    @Covers("NDEV-194")
    void whatADevicePolledIsCountedForTheWorkerThatPolledIt() {
        NetDevice device = up();
        int[] waiting = {5};
        Napi napi = device.napis()
                .add(
                        budget -> {
                            int taken = Math.min(budget, waiting[0]);
                            waiting[0] -= taken;
                            for (int i = 0; i < taken; i++) {
                                device.receive(packet(i));
                            }
                            return taken;
                        },
                        64);
        napi.enable();
        loop.progress(0);
        assertThat(loop.softnet().worker(0).processed()).isEqualTo(5);
        queues.queue(0).rpsCpus(0b10);
        waiting[0] = 3;
        loop.progress(0);
        assertThat(loop.softnet().worker(0).processed()).isEqualTo(5);
        assertThat(loop.softnet().worker(1).processed()).isEqualTo(3);
    }

    @Test
    void whatWaitsForAWorkerCanBeDropped() {
        NetDevice device = up();
        queues.queue(0).rpsCpus(0b1);
        device.receive(packet(0));
        device.receive(packet(1));
        assertThat(device.dropWaiting(_ -> true)).isEqualTo(2);
        assertThat(loop.softnet().isWaiting(Softnet.NO_WORKER)).isFalse();
    }

    @Test
    @Covers("NQ-11")
    void theIngressQueueIsThereWhenItWasAskedForAndRefusesWhatItsFilterSays() {
        NetDevice device = up();
        assertThat(queues.ingress()).isNull();
        IngressQueue ingress = queues.createIngress();
        assertThat(queues.ingress()).isSameAs(ingress);
        assertThat(queues.createIngress()).isSameAs(ingress);
        device.receive(packet(0));
        ingress.filter(skb -> skb.len() > 100);
        device.receive(packet(0));
        assertThat(received).hasSize(1);
        assertThat(ingress.drops()).isEqualTo(1);
        assertThat(device.stats().rxDropped()).isEqualTo(1);
        ingress.filter(null);
        device.receive(packet(0));
        assertThat(received).hasSize(2);
    }
}
