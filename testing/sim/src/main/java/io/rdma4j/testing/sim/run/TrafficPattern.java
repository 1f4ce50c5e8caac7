// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Which hosts of a network exchange messages. */
public enum TrafficPattern {
    /** Each host with the next one, the last one with the first. */
    RING,
    /** All pairs. */
    ALL,
    /** Each host with two others, in a random ring. */
    PERMUTATION,
    /** The first host with all others. */
    INCAST;

    /** The name in lower case, as in options. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Two hosts that exchange messages, by their indices. The first one is lower. */
    public record Pair(int first, int second) {
        private static Pair of(int a, int b) {
            return new Pair(Math.min(a, b), Math.max(a, b));
        }
    }

    /**
     * Returns the pairs, each once.
     *
     * @param hosts number of hosts, at least 2
     * @param seed of a random choice
     */
    public List<Pair> pairs(int hosts, long seed) {
        return switch (this) {
            case RING -> ring(inOrder(hosts));
            case ALL -> all(hosts);
            case PERMUTATION -> {
                List<Integer> order = inOrder(hosts);
                Collections.shuffle(order, new Random(seed));
                yield ring(order);
            }
            case INCAST ->
                inOrder(hosts).subList(1, hosts).stream()
                        .map(host -> Pair.of(0, host))
                        .toList();
        };
    }

    private static List<Integer> inOrder(int hosts) {
        List<Integer> order = new ArrayList<>();
        for (int host = 0; host < hosts; host++) {
            order.add(host);
        }
        return order;
    }

    /** Two hosts have one pair, not two. */
    private static List<Pair> ring(List<Integer> order) {
        int hosts = order.size();
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < (hosts == 2 ? 1 : hosts); i++) {
            pairs.add(Pair.of(order.get(i), order.get((i + 1) % hosts)));
        }
        return pairs;
    }

    private static List<Pair> all(int hosts) {
        List<Pair> pairs = new ArrayList<>();
        for (int second = 1; second < hosts; second++) {
            for (int first = 0; first < second; first++) {
                pairs.add(new Pair(first, second));
            }
        }
        return pairs;
    }
}
