// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/** The counters of a port: 64 bits each, never cleared. An agent that clears them keeps the value of that moment. */
public final class PortCounts {
    private static final int REASONS = DropReason.values().length;

    private final long[] counts = new long[PortCount.values().length];
    private final long[] drops = new long[REASONS];

    PortCounts() {}

    /**
     * {@return the value of a counter}
     *
     * @param count the counter
     */
    public long get(PortCount count) {
        return counts[count.ordinal()];
    }

    /**
     * {@return the number of packets that the port dropped for a reason}
     *
     * @param reason why
     */
    public long dropped(DropReason reason) {
        return drops[reason.ordinal()];
    }

    /** {@return the number of packets that the port dropped} */
    public long dropped() {
        long sum = 0;
        for (long drop : drops) {
            sum += drop;
        }
        return sum;
    }

    void add(PortCount count, long value) {
        counts[count.ordinal()] += value;
    }

    void drop(DropReason reason) {
        drops[reason.ordinal()]++;
        reason.addTo(counts);
    }

    void sent(IbPacket packet) {
        add(PortCount.XMIT_PKTS, 1);
        add(PortCount.XMIT_DATA, packet.words);
        if (packet.isMulticast()) {
            add(PortCount.MULTICAST_XMIT_PKTS, 1);
        }
    }

    void received(IbPacket packet) {
        add(PortCount.RCV_PKTS, 1);
        add(PortCount.RCV_DATA, packet.words);
        if (packet.isMulticast()) {
            add(PortCount.MULTICAST_RCV_PKTS, 1);
        }
    }
}
