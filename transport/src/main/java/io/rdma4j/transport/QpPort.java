package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What the engine of a transport service asks of the device around it. Its packets begin with their BTH. */
public interface QpPort extends PacketPort {
    /** Bytes of the global route header, or what stands for it, in front of every datagram received. */
    int ROUTE_BYTES = 40;

    /**
     * {@return true if an acknowledgement should wait a moment for something that it can travel with; the port then
     * calls {@link Engine#pollTransmit} again, very soon}
     */
    default boolean keepsAcknowledgement() {
        return false;
    }

    /**
     * {@return how many messages of one packet each may make one buffer, a {@link Train}; 1 for a device that takes each by itself}
     */
    default int messagesPerBuffer() {
        return 1;
    }

    /**
     * {@return bytes that the path of the connection takes at once, if it {@link #readsInPlace reads them in place}: they wait in no
     * buffer that could overflow, so trains may be longer than a network takes, up to an eighth of these bytes; 0 for a path
     * that is like any network} With trains of an eighth the peer can read one while others are on their way. The value may
     * change at any time.
     */
    default int burstBytes() {
        return 0;
    }

    /**
     * {@return true if the peer reads the payload of a train where it lies}
     *
     * @param train that is about to be sent over a path with {@link #burstBytes}
     */
    default boolean readsInPlace(SkBuff train) {
        return false;
    }

    /**
     * Hands a message over to the peer of the connection without making packets of it, if the peer is one of us on this machine. Those that are
     * handed over arrive in their order. A peer that cannot serve one at once does not take it, and it is sent as packets, so that whatever is
     * wrong is told by packets.
     *
     * @param message read during the call only; the port may add what goes along
     * @return what became of it
     */
    default Handover handOver(WholeMessage message) {
        return Handover.NO_WAY;
    }

    /**
     * Hands over what is no message: an acknowledgement, or a refusal of what the peer has handed over.
     *
     * @param message read during the call only
     * @return false if there is no way
     */
    default boolean answer(WholeMessage message) {
        return false;
    }

    /**
     * Takes over a datagram, or a train; otherwise as {@link #transmit(SkBuff)}.
     *
     * @param skb the port's from now on
     * @param path where it goes
     */
    void transmit(SkBuff skb, DatagramPath path);

    /**
     * Where an address handle leads.
     *
     * @param addressHandle from a work request, not to be trusted
     * @return null if there is none of this number in the queue pair's protection domain
     */
    @Nullable
    DatagramPath path(int addressHandle);

    /** {@return path MTU of the port: the longest datagram, bytes} */
    int mtuBytes();

    /**
     * Writes what the first 40 bytes of a received datagram's buffer hold: the GRH, the IPv6 header, or 20 zeroes and the
     * IPv4 header.
     *
     * @param skb what was received
     * @param target 40 bytes
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

    /**
     * {@return true if a packet of a connection came over its primary path: from the peer's address to ours, in its
     * partition}
     *
     * @param skb what was received
     */
    boolean isOnPrimaryPath(SkBuff skb);

    /**
     * {@return the same for the alternate path; false if there is none}
     *
     * @param skb what was received
     */
    boolean isOnAlternatePath(SkBuff skb);

    /** The alternate path takes the place of the primary one; the peer may be heard over the old one for a while. */
    void migrate();

    /**
     * {@return the partition key at {@code index} of the port's table, 16 bits}
     *
     * @param index slot, from 0
     */
    int pkey(int index);

    /** {@return the number of the port, from 1} */
    int number();

    /**
     * {@return the slot of the port's table whose partition a packet's key belongs to}
     *
     * @param pkey 16 bits
     */
    int pkeyIndex(int pkey);
}
