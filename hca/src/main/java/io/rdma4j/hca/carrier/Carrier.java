// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.carrier;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.PortLink;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;

/**
 * Carries the packets of one port. The device above knows queue pairs, keys and partitions; the carrier knows
 * addresses, and the headers in front of a BTH and behind the payload. Only the owner of the port loop calls it, unless
 * a method names another thread. Methods for packets allocate nothing.
 */
public interface Carrier {
    /** Returns the link, as management and contexts see it. Any thread. */
    PortLink link();

    /** Returns what resolves address vectors to paths of this carrier. Any thread. */
    PathResolver paths();

    /** Returns what writes and reads the headers of this carrier. */
    CarrierHeaders headers();

    /** Returns the peers that are reached without packets. */
    LocalPeers localPeers();

    /**
     * Sends a packet or train with the headers of {@link CarrierHeaders#push}. The carrier frees it, now or later. If
     * it cannot send now, it keeps the packet and is stalled.
     */
    void transmit(SkBuff skb, CarrierPath path);

    /** Returns true while a packet waits in the carrier. No other packet may be sent before {@link #flush}. */
    boolean isStalled();

    /** Sends what waits. Returns true if nothing waits any more. */
    boolean flush();

    /**
     * Checks the trailer of a received packet, and removes it together with the padding. Trains that an engine has made
     * have no trailer.
     *
     * @return false if the packet is damaged; it is counted then
     */
    boolean finish(SkBuff skb);

    /** Reports that a received packet, which is dropped, has the P_Key of a partition that its queue pair is not in. */
    default void badPkey(SkBuff skb) {}

    /** Drops the packets for which {@code condition} is true, waiting ones and those that the link holds. */
    void dropWaiting(Predicate<SkBuff> condition);

    /** Drops the packets for which {@code condition} is true, of those that the link has accepted and still holds. */
    void dropHeld(Predicate<SkBuff> condition);

    /**
     * Begins to receive packets of a multicast group.
     *
     * @throws io.rdma4j.base.RdmaException ENOMEM or the error of the network
     */
    void join(Gid group);

    /** Ends the reception of packets of a multicast group. */
    void leave(Gid group);

    /** Starts to deliver packets and events. */
    void start(CarrierInput input);

    /** Stops to deliver packets. */
    void stop();
}
