// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.carrier;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import java.lang.foreign.MemorySegment;

/**
 * Writes the headers that a carrier puts in front of a BTH, and reads those of received packets. The data of a received
 * packet begins with its BTH; its headers stand before it, in the same buffer. For the owner of the port loop;
 * allocates
 * nothing.
 */
public interface CarrierHeaders {
    /** Adds the headers of a path to a packet or train that begins with its BTH, and prepares its trailer. */
    void push(SkBuff skb, CarrierPath path);

    /** Removes the headers of a packet that {@link #push} has finished, as if it had been received. */
    void pull(SkBuff skb);

    /** Returns true if a path leads to this port. */
    boolean leadsHere(CarrierPath path);

    /**
     * Returns true if the carrier's own agents take a packet that {@link #push} has finished, before a queue pair of
     * this port receives it: datagrams of management.
     */
    default boolean isForAgents(SkBuff skb) {
        return false;
    }

    /** Returns true if the port itself must deliver packets of a path to its own members of the group. */
    boolean isCopiedToMembers(CarrierPath path);

    /** Returns true if a received packet has the addresses of a path in reverse (IBA 9.6.1.5). */
    boolean isReverse(SkBuff skb, CarrierPath path);

    /** Returns true if a received packet was sent to an address of this port. */
    boolean isToThisPort(SkBuff skb);

    /** Returns true if a received packet was sent from an address of this port. */
    boolean isFromThisPort(SkBuff skb);

    /** Returns the upper 64 bits of the destination GID of a received packet. */
    long destinationPrefix(SkBuff skb);

    /** Returns the lower 64 bits of the destination GID of a received packet. */
    long destinationInterfaceId(SkBuff skb);

    /** Returns true if a received packet has met congestion (FECN of InfiniBand, CE of IP). */
    boolean isCongested(SkBuff skb);

    /** Writes the GRH of a received packet, or what stands in its place. The target has 40 bytes. */
    void copyGrh(SkBuff skb, MemorySegment target);

    /** Writes the source of a received datagram to its completion: LID, service level, path bits, and the GRH flag. */
    void describeSource(SkBuff skb, CompletionEntry entry);
}
