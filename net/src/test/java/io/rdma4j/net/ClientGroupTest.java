// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.sched.Prio;
import io.rdma4j.net.transmit.ClientGroup;
import io.rdma4j.net.transmit.ClientGroups;
import io.rdma4j.net.transmit.GroupMember;
import io.rdma4j.net.transmit.NetdevQueue;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientGroupTest {
    private final SkBuffPool pool = new SkBuffPool(8, 256);
    private final ClientGroups groups = new ClientGroups();
    private final ClientGroup batch = groups.create("batch");
    private final ClientGroup urgent = groups.create("urgent");
    private final Card card = new Card();
    private final NetDevice device = NetHost.standalone(
            new NetDevice(new NetDeviceSetup(LinkType.IP, "eth0", 1, 1500, 0, List.of(), FeatureSet.NONE), card));

    private static final class Card implements NetDeviceOps {
        final List<Integer> priorities = new ArrayList<>();

        @Override
        public NetdevTx startXmit(SkBuff skb, NetDevice device) {
            priorities.add(skb.meta().priority());
            skb.free();
            return NetdevTx.OK;
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice device) {
            return null;
        }
    }

    @AfterEach
    void close() {
        device.unregister();
        pool.close();
    }

    private @Nullable NetDevice find(String name) {
        return name.equals("eth0") ? device : null;
    }

    private SkBuff packet(@Nullable ClientGroup group, int priority) {
        SkBuff skb = Packets.allocate(pool);
        skb.put(20);
        skb.meta().priority(priority);
        skb.destructor(_ -> {});
        skb.meta().owner((GroupMember) () -> group);
        return skb;
    }

    @Test
    @Covers("NQ-35")
    void eachGroupHasANumberOfItsOwn() {
        assertThat(batch.prioidx()).isEqualTo(1);
        assertThat(urgent.prioidx()).isEqualTo(2);
        groups.remove("urgent");
        assertThat(groups.create("urgent").prioidx()).as("never again").isEqualTo(3);
        assertThat(groups.find("batch")).isSameAs(batch);
        assertThat(groups.all()).hasSize(2);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> groups.create("batch"))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST));
    }

    @Test
    @Covers({"NQ-33", "NQ-34"})
    void packetsWithoutAPriorityHaveThatOfTheirGroupOnTheDevice() {
        device.up();
        urgent.ifpriomap("eth0 6", this::find);
        device.transmit(packet(urgent, 0));
        device.transmit(packet(urgent, 3));
        device.transmit(packet(batch, 0));
        device.transmit(packet(null, 0));
        assertThat(card.priorities).containsExactly(6, 3, 0, 0);
        assertThat(urgent.ifpriomap(List.of(device))).containsExactly("eth0 6");
        assertThat(batch.ifpriomap(List.of(device))).containsExactly("eth0 0");
        urgent.ifpriomap("eth0 2", this::find);
        device.transmit(packet(urgent, 0));
        assertThat(card.priorities).endsWith(2);
    }

    @Test
    @Covers("NQ-34")
    void aLineThatIsNoDeviceAndPriorityIsRefused() {
        assertRefused(Errno.EINVAL, "eth0");
        assertRefused(Errno.EINVAL, "eth0 five");
        assertRefused(Errno.EINVAL, "eth0 5 6");
        assertRefused(Errno.ENODEV, "eth1 5");
    }

    private void assertRefused(Errno errno, String line) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> batch.ifpriomap(line, this::find))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers("NQ-36")
    void packetsOfAGroupHaveItsClassWhichAQdiscLooksAt() {
        assertThat(batch.classId()).isZero();
        urgent.classId(0x10_0001);
        assertThat(urgent.classId()).isEqualTo(0x10_0001);
        device.transmitQueues().queue(0).qdisc(new Prio(2, 10, skb -> ClientGroup.classIdOf(skb) == 0x10_0001 ? 0 : 1));
        device.up();
        NetdevQueue queue = device.transmitQueues().queue(0);
        queue.stop();
        device.transmit(packet(batch, 1));
        device.transmit(packet(null, 2));
        device.transmit(packet(urgent, 3));
        queue.wake();
        device.flush();
        assertThat(card.priorities).containsExactly(3, 1, 2);
    }

    @Test
    @Covers("NQ-25")
    void aReceiveHandlerMayLeaveSomethingForOthersToFind() {
        device.rxHandler().register(_ -> false, this);
        assertThat(device.rxHandler().data()).isSameAs(this);
        device.rxHandler().unregister();
        assertThat(device.rxHandler().data()).isNull();
        assertThat(device.rxHandler().handler()).isNull();
        device.rxHandler().register(_ -> false);
        assertThat(device.rxHandler().data()).isNull();
        assertThat(device.rxHandler().handler()).isNotNull();
    }
}
