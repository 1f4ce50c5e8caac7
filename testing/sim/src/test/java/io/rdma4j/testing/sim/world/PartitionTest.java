// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.netlab.topology.TopologyParser;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PartitionTest {
    private static final String MACHINES = "host a\nhost b\nhost c\nhost d\nswitch s\n";

    private static Topology topology(String links) {
        return TopologyParser.parse("test", MACHINES + links);
    }

    @Test
    void linksWithoutLatencyJoinMachines() {
        Partition partition = new Partition(topology("""
                link a/eth0 s delay 5us
                link b/eth0 s delay 2us
                link c/eth0 s
                link d/eth0 c/eth1 delay 900ns
                """));
        assertThat(partition.group("c")).isEqualTo(partition.group("s")).isEqualTo(partition.group("d"));
        assertThat(partition.group("a")).isNotEqualTo(partition.group("s")).isNotEqualTo(partition.group("b"));
        assertThat(partition.group("b")).isNotEqualTo(partition.group("s"));
    }

    @Test
    void aLinkWithLatencyMayBeWithinAGroup() {
        Topology topology = topology("link a/eth0 s\nlink a/eth1 s delay 2us\nlink b/eth0 s delay 7us\n");
        Partition partition = new Partition(topology);
        assertThat(topology.links()).extracting(partition::separates).containsExactly(false, false, true);
    }

    @Test
    void withoutLatencyThereIsOneGroup() {
        Partition partition =
                new Partition(topology("link a/eth0 s\nlink b/eth0 s\nlink c/eth0 s\nlink d/eth0 a/eth1\n"));
        assertThat(Stream.of("a", "b", "c", "d").map(partition::group)).containsOnly(partition.group("s"));
    }
}
