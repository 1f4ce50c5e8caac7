// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Counters of the events of packets on one path, or on several, starting at 0. The sending thread writes them; other
 * threads may read slightly stale values.
 */
public final class LinkStats {
    private static final LinkEvent[] EVENTS = LinkEvent.values();

    private final long[] counts = new long[EVENTS.length];

    /** Creates counters that are all 0. */
    public LinkStats() {}

    /**
     * {@return the number of packets with this event}
     *
     * @param event one of the constants
     */
    public long count(LinkEvent event) {
        return counts[event.ordinal()];
    }

    /** Increments one counter. */
    void add(LinkEvent event) {
        counts[event.ordinal()]++;
    }

    /**
     * Adds the counts of another path.
     *
     * @param other stays as it is
     */
    public void add(LinkStats other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
    }

    @Override
    public String toString() {
        return Arrays.stream(EVENTS)
                .map(event -> count(event) + " " + event.text())
                .collect(Collectors.joining(", "));
    }
}
