// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.LinkSpeed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Links of a topology have interrupt vectors and a speed, as adapters have. */
class TopologyLinkTest {
    private static final String TOPOLOGY = """
            host a
            host b
            link a/eth0 b/eth0 rate 1gbit
            link a/eth1 b/eth1
            """;

    private final Network network =
            Network.build(TopologyParser.parse("test", TOPOLOGY), NanoClock.SYSTEM, ProgressMode.AUTOMATIC, 7);
    private final Terminal a = new Terminal(network.machine("a"));
    private final Terminal b = new Terminal(network.machine("b"));

    TopologyLinkTest() {
        a.type("ip addr add 10.0.0.1/24 dev eth0");
        b.type("ip addr add 10.0.0.2/24 dev eth0");
    }

    @AfterEach
    void close() {
        network.close();
    }

    @Test
    @Covers({"TOOL-50", "TOOL-51"})
    void packetsOfALinkAreInterruptsOfItsVector() {
        int irq = a.device("eth0").irq();
        assertThat(irq).isPositive().isNotEqualTo(a.device("eth1").irq());
        a.type("ping -c 3 10.0.0.2");
        assertThat(a.type("cat /proc/interrupts"))
                .containsPattern("(?m)^ +W0$")
                .containsPattern("(?m)^ *" + irq + ": +[1-9][0-9]* +MSI +eth0$")
                .containsPattern("(?m)^ *" + a.device("eth1").irq() + ": +[0-9]+ +MSI +eth1$");
        a.type("echo 1 > /proc/irq/" + irq + "/smp_affinity");
        assertThat(a.type("cat /proc/irq/" + irq + "/smp_affinity")).isEqualTo("1");
        assertThat(a.fail("echo 2 > /proc/irq/" + irq + "/smp_affinity")).contains("the workers are 1");
        long before = network.machine("a").loop().interrupts().vector(irq).count(0);
        a.type("ping -c 1 10.0.0.2");
        assertThat(network.machine("a").loop().interrupts().vector(irq).count(0))
                .isGreaterThan(before);
    }

    @Test
    void theVectorGoesWithItsLink() {
        a.type("ip link add v0 type veth peer name v1");
        int irq = a.device("v0").irq();
        assertThat(a.type("cat /proc/interrupts")).contains(" v0", " v1");
        a.type("ip link del v0");
        assertThat(a.type("cat /proc/interrupts")).doesNotContain(" v0", " v1");
        assertThat(a.fail("cat /proc/irq/" + irq + "/smp_affinity")).contains("ENOENT");
    }

    @Test
    @Covers("TOOL-44")
    void theSpeedOfALinkIsItsRateAndIsChangedForBothEndsAndForTheRdmaDevice() {
        assertThat(a.type("ethtool eth0")).contains("Speed: 1000Mb/s");
        try (Context context =
                network.machine("a").rdma().newLink("rxe0", "rxe", "eth0").open()) {
            assertThat(context.queryPort(1).activeSpeed()).isEqualTo(LinkSpeed.SDR);
            a.type("ethtool -s eth0 speed 25000");
            assertThat(a.type("ethtool eth0")).contains("Speed: 25000Mb/s");
            assertThat(b.type("ethtool eth0")).contains("Speed: 25000Mb/s");
            assertThat(context.queryPort(1).activeSpeed()).isEqualTo(LinkSpeed.EDR);
        }
        assertThat(network.faults()).allMatch(link -> link.send().profile().bitsPerSecond() == 25_000_000_000L);
        assertThat(a.fail("ethtool -s eth0 duplex half")).contains("EINVAL", "full duplex");
        assertThat(a.fail("ethtool -s eth1 speed 100")).contains("EOPNOTSUPP", "rate 10gbit");
    }

    /** At 1 Mb/s a frame of 1,242 bytes takes 10 ms there and 10 ms back. */
    @Test
    @Covers("TOOL-44")
    void aSlowerLinkTakesItsTime() {
        a.type("ping -c 1 10.0.0.2");
        a.type("ethtool -s eth0 speed 1");
        long startNs = System.nanoTime();
        a.type("ping -c 1 -s 1200 10.0.0.2");
        assertThat(System.nanoTime() - startNs).isGreaterThan(19_000_000L);
    }
}
