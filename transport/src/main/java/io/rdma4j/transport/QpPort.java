package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.EventType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What a queue pair's engine asks of the device around it; called by the port loop's thread only. */
public interface QpPort {
    /** Bytes of the global route header, or what stands for it, in front of every datagram received. */
    int ROUTE_BYTES = 40;

    /**
     * An empty buffer with headroom for everything below the BTH.
     *
     * @return null if the device can take no packet now; it asks again by {@link QpEngine#pollTransmit}
     */
    @Nullable
    SkBuff allocate();

    /** Takes over a packet, or a train, of a connection, that begins with its BTH. Losing it is the network's right. */
    void transmit(SkBuff skb);

    /** The same for a datagram. */
    void transmit(SkBuff skb, DatagramPath path);

    /**
     * Where an address handle leads.
     *
     * @param addressHandle from a work request, not to be trusted
     * @return null if there is none of this number in the queue pair's protection domain
     */
    @Nullable
    DatagramPath path(int addressHandle);

    /** Path MTU of the port: the longest datagram, bytes. */
    int mtuBytes();

    /**
     * Writes what the first 40 bytes of a received datagram's buffer hold: the GRH, the IPv6 header, or 20 zeroes and the
     * IPv4 header.
     */
    void copyRoute(SkBuff skb, MemorySegment target);

    /**
     * The shared receive queue that an XRC request names.
     *
     * @param number 24 bits, from the packet
     * @return null if the queue pair's XRC domain has none of this number
     */
    @Nullable
    SharedReceives xrcReceives(int number);

    /** True if a packet of a connection came over its primary path: from the peer's address to ours, in its partition. */
    boolean isOnPrimaryPath(SkBuff skb);

    /** The same for the alternate path; false if there is none. */
    boolean isOnAlternatePath(SkBuff skb);

    /** The alternate path takes the place of the primary one; the peer may be heard over the old one for a while. */
    void migrate();

    /** The engine, which nobody called, may have something to send: packets of it have left. */
    default void sendable() {}

    /** The partition key at {@code index} of the port's table, 16 bits. */
    int pkey(int index);

    /** Raises an asynchronous event of the queue pair. */
    void event(EventType event);
}
