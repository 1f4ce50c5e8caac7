package io.rdma4j.net.skb;

import io.rdma4j.packet.SkBuff;

/**
 * The owner of a packet, if it wants to know when the packet was sent; what a socket with {@code SO_TIMESTAMPING} reads from its
 * error queue.
 */
@FunctionalInterface
public interface TransmitTimeListener {
    /**
     * A packet of this owner was sent. On the thread that owns the loop of the device; must not block.
     *
     * @param skb borrowed, to be read only
     * @param byLink true if the link took the time, {@link SkBuff#hwtstamp}; false if the host did, {@link SkBuff#tstamp}
     */
    void onTransmitTime(SkBuff skb, boolean byLink);
}
