package io.rdma4j.packet;

/** Whom a link addressed a packet to ({@code skb->pkt_type}). */
public enum PacketType {
    /** This host; also what links without addresses carry ({@code PACKET_HOST}). */
    HOST,
    /** All stations of the link ({@code PACKET_BROADCAST}). */
    BROADCAST,
    /** A group of stations ({@code PACKET_MULTICAST}). */
    MULTICAST,
    /** Another station; only who listens to all packets gets such ({@code PACKET_OTHERHOST}). */
    OTHERHOST
}
