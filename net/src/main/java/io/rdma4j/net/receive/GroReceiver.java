// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.SkBuff;

/**
 * The layer above a device that decides whether its packets may be merged ({@code struct packet_offload}). The loop's
 * owner calls it. Implementations change nothing and allocate nothing.
 */
public interface GroReceiver {
    /** {@return true if a receiver of merged datagrams may exist; called for every packet} */
    boolean mayTakeMerged();

    /**
     * {@return true if the receiver of a datagram accepts merged ones, and no layer in between needs single ones}
     *
     * @param skb a UDP datagram that begins with its IP header, or a train of them that the link has merged; its
     *     transport header offset is set
     */
    boolean takesMerged(SkBuff skb);
}
