// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

/** Classifies the destination address of a packet's link header ({@code skb->pkt_type}). */
public enum PacketType {
    /** This host; also all packets on links without addresses ({@code PACKET_HOST}). */
    HOST,
    /** All stations of the link ({@code PACKET_BROADCAST}). */
    BROADCAST,
    /** A multicast group ({@code PACKET_MULTICAST}). */
    MULTICAST,
    /** Another station; only a receiver in promiscuous mode gets such packets ({@code PACKET_OTHERHOST}). */
    OTHERHOST
}
