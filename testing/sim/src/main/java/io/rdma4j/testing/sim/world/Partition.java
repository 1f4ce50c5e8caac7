// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.netlab.topology.Topology;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Groups of machines of a topology, each as small as possible, such that links between two groups have latency. */
final class Partition {
    /** Links with less latency do not separate groups: periods of so little time would not be worth their cost. */
    static final long MIN_LATENCY_NS = 1_000;

    /** A machine of the same group for each machine; itself for one of each group. */
    private final Map<String, String> towards = new LinkedHashMap<>();

    Partition(Topology topology) {
        topology.machines().forEach(machine -> towards.put(machine.name(), machine.name()));
        topology.links().stream()
                .filter(link -> link.profile().latencyNs() < MIN_LATENCY_NS)
                .forEach(link -> towards.put(
                        group(link.first().machine()), group(link.second().machine())));
    }

    /** Name of the group of a machine. */
    String group(String machine) {
        String next = Objects.requireNonNull(towards.get(machine), machine);
        return next.equals(machine) ? machine : group(next);
    }

    /** True if the link is between two groups. */
    boolean separates(Topology.Link link) {
        return !group(link.first().machine()).equals(group(link.second().machine()));
    }
}
