// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.sched.Qdisc;
import io.rdma4j.net.sched.TokenBucket;
import io.rdma4j.net.transmit.ClientGroup;
import io.rdma4j.net.transmit.GroupMember;
import io.rdma4j.netlab.Machine;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TcCommandTest {
    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final Terminal terminal = new Terminal(machine);
    private final NetDevice card = plug();

    private NetDevice plug() {
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end("eth0", 0, 1500, 0x0200_0000_0001L, List.of()),
                VethDevice.end("other", 0, 1500, 0x0200_0000_0002L, List.of()),
                VethDevice.DEFAULT_QUEUE_LENGTH);
        machine.net().initial().register(pair.second()).up();
        machine.net().initial().register(pair.first()).up();
        return pair.first();
    }

    @AfterEach
    void close() {
        machine.close();
    }

    private @Nullable Qdisc qdisc() {
        return card.transmitQueues().queue(0).qdisc();
    }

    @Test
    @Covers("TOOL-45")
    void theQdiscOfADeviceIsReplaced() {
        assertThat(terminal.type("tc qdisc show dev eth0")).isEqualTo("qdisc noqueue 0: dev eth0 root");

        terminal.type("tc qdisc replace dev eth0 root tbf rate 8mbit burst 10kb");
        assertThat(qdisc()).isInstanceOfSatisfying(TokenBucket.class, bucket -> {
            assertThat(bucket.bytesPerSecond()).isEqualTo(1_000_000);
            assertThat(bucket.burstBytes()).isEqualTo(10_240);
        });
        assertThat(terminal.type("tc qdisc show dev eth0"))
                .isEqualTo("qdisc tbf 1: dev eth0 root rate 8Mbit burst 10240b");

        terminal.type("tc qdisc replace dev eth0 root pfifo_fast");
        assertThat(terminal.type("tc qdisc show dev eth0"))
                .isEqualTo("qdisc pfifo_fast 0: dev eth0 root bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1");
        assertThat(terminal.type("tc -s qdisc show dev eth0")).contains("(dropped 0, requeues 0) backlog 0p");

        terminal.type("tc qdisc del dev eth0 root");
        assertThat(qdisc()).isNull();
        assertThat(terminal.type("tc qdisc").lines()).hasSize(3);
    }

    @Test
    @Covers("TOOL-45")
    void aFilterGivesAClassOfSendersItsBand() {
        terminal.type("mkdir /sys/fs/cgroup/net_cls/bulk");
        terminal.type("echo 0x10003 > /sys/fs/cgroup/net_cls/bulk/net_cls.classid");
        terminal.type("tc qdisc replace dev eth0 root handle 1: prio bands 3");
        terminal.type("tc filter add dev eth0 parent 1: protocol all prio 1 handle 1 cgroup");
        assertThat(terminal.type("tc filter show dev eth0")).contains("parent 1:", "cgroup");
        assertThat(orderOfTwo()).containsExactly(7, 6);

        terminal.type("tc filter del dev eth0 parent 1: cgroup");
        assertThat(terminal.type("tc filter show dev eth0")).isEmpty();
        assertThat(orderOfTwo()).containsExactly(6, 7);
        terminal.type("tc qdisc replace dev eth0 root noqueue");
        assertThat(terminal.fail("tc filter add dev eth0 cgroup")).contains("noqueue");
    }

    /**
     * Returns the marks of two packets in the order of dequeueing. Packet 6 has priority 6 and the group's class;
     * packet 7 has priority 0 and no group.
     */
    private List<Integer> orderOfTwo() {
        ClientGroup bulk = Objects.requireNonNull(machine.groups().find("bulk"));
        try (SkBuffPool pool = new SkBuffPool(2, 256)) {
            return machine.loop().exclusively(() -> {
                Qdisc there = Objects.requireNonNull(qdisc());
                there.enqueue(packet(pool, 6, 6, bulk));
                there.enqueue(packet(pool, 7, 0, null));
                return List.of(take(there), take(there));
            });
        }
    }

    private static int take(Qdisc qdisc) {
        SkBuff skb = Objects.requireNonNull(qdisc.dequeue(0));
        int mark = skb.marks().mark();
        skb.free();
        return mark;
    }

    private static SkBuff packet(SkBuffPool pool, int mark, int priority, @Nullable ClientGroup group) {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        skb.put(60);
        skb.marks().mark(mark);
        skb.meta().priority(priority);
        skb.destructor(_ -> {});
        skb.meta().owner((GroupMember) () -> group);
        return skb;
    }

    @Test
    void netemMakesALinkABadOneAndGoodAgain() {
        terminal.type("tc qdisc add dev eth0 root netem delay 10ms 2ms loss 1% rate 100mbit");
        FaultyLink link = Objects.requireNonNull(FaultyLink.on(card));
        assertThat(card.isUp()).isTrue();
        assertThat(link.send().profile().latencyNs()).isEqualTo(10_000_000);
        assertThat(link.send().profile().loss()).isEqualTo(0.01);
        assertThat(terminal.type("tc qdisc show dev eth0")).isEqualTo("""
            qdisc netem 8001: dev eth0 root limit 256 delay 10ms 2ms loss 1% rate 100Mbit
            qdisc noqueue 0: dev eth0 parent 8001:1\
            """);
        terminal.type("tc qdisc change dev eth0 root netem loss 50%");
        assertThat(FaultyLink.on(card)).isSameAs(link);
        assertThat(terminal.type("tc qdisc show dev eth0")).contains("limit 256 loss 50%");
        terminal.type("tc qdisc del dev eth0 root");
        assertThat(terminal.type("tc qdisc show dev eth0")).isEqualTo("qdisc noqueue 0: dev eth0 root");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThat(terminal.fail("tc qdisc add dev eth0 root fq")).contains("\"fq\" is unknown");
        assertThat(terminal.fail("tc qdisc add dev eth0 root tbf rate 1mbit")).contains("a rate and a burst");
        assertThat(terminal.fail("tc qdisc add dev eth0 root tbf rate 1mbit burst lots"))
                .contains("\"lots\" is no size");
        assertThat(terminal.fail("tc qdisc add dev eth0 root netem lose 1%")).contains("\"lose\"");
        assertThat(terminal.fail("tc qdisc add dev eth0 parent 1: prio")).contains("\"root\" is missing");
        assertThat(terminal.fail("tc class show")).contains("qdisc and filter");
    }
}
