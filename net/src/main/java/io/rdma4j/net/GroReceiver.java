package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/**
 * The layer above a device, asked before its packets are merged ({@code struct packet_offload}). On the thread that owns the loop;
 * allocates and changes nothing.
 */
public interface GroReceiver {
    /** {@return true if there may be anybody who takes merged datagrams; asked for every packet} */
    boolean mayTakeMerged();

    /**
     * {@return true if a datagram goes to somebody who takes merged ones, and nobody on the way minds}
     *
     * @param skb a UDP datagram that begins with its IP header, or a train of them that the link has merged; the place of its UDP header is
     *     known
     */
    boolean takesMerged(SkBuff skb);
}
