// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.Engine;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.wr.WcFlag;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The interface of the device that the engine of a transport service uses. Packets begin with their BTH. */
public interface QpPort extends PacketPort {
    /** Bytes of the global route header, or of its replacement, before every received datagram. */
    int ROUTE_BYTES = 40;

    /**
     * {@return true if an acknowledgement should be delayed a moment so that it can be sent with something else; the
     * port then calls {@link Engine#pollTransmit} again, very soon}
     */
    default boolean keepsAcknowledgement() {
        return false;
    }

    /**
     * {@return maximum number of single-packet messages in one buffer, a {@link Train}; 1 for a device that takes each
     * message separately}
     */
    default int messagesPerBuffer() {
        return 1;
    }

    /**
     * {@return bytes that the path of the connection accepts at once, if it {@link #readsInPlace reads them in place};
     * 0 for a path like any network} Bytes that are read in place wait in no buffer that could overflow, so trains may
     * be longer than on a network, up to an eighth of these bytes. With trains of an eighth the peer can read one while
     * others are in flight. The value may change at any time.
     */
    default int burstBytes() {
        return 0;
    }

    /**
     * {@return true if the peer reads the payload of a train in place}
     *
     * @param train that is about to be sent over a path with {@link #burstBytes}
     */
    default boolean readsInPlace(SkBuff train) {
        return false;
    }

    /**
     * Takes ownership of a datagram or a train and sends it; otherwise as {@link #transmit(SkBuff)}.
     *
     * @param skb owned by the port from now on
     * @param path where it goes
     */
    void transmit(SkBuff skb, DatagramPath path);

    /**
     * Resolves an address handle.
     *
     * @param addressHandle from a work request, not trusted
     * @return null if the queue pair's protection domain has no handle with this number
     */
    @Nullable
    DatagramPath path(int addressHandle);

    /** {@return path MTU of the port: the longest datagram, bytes} */
    int mtuBytes();

    /**
     * Writes the first 40 bytes of the buffer of a received datagram: the GRH, the IPv6 header, or 20 zeroes and the
     * IPv4 header.
     *
     * @param skb the received packet
     * @param target 40 bytes
     */
    void copyRoute(SkBuff skb, MemorySegment target);

    /**
     * Writes what the headers in front of a received datagram say of its source to the completion: source LID, service
     * level, path bits, and {@code WcFlag.GRH} if {@link #copyRoute} has written a route. On Ethernet there is always a
     * route, and the other fields are 0.
     *
     * @param skb the received packet
     * @param entry the completion
     */
    default void describeSource(SkBuff skb, CompletionEntry entry) {
        entry.flags |= WcFlag.GRH.bit();
    }

    /**
     * Resolves the shared receive queue that an XRC request names.
     *
     * @param number 24 bits, from the packet
     * @return null if the queue pair's XRC domain has no queue with this number
     */
    @Nullable
    SharedReceiveState xrcReceives(int number);

    /**
     * {@return true if a packet of a connection came over its primary path: from the peer's address to the local one,
     * in its partition}
     *
     * @param skb the received packet
     */
    boolean isOnPrimaryPath(SkBuff skb);

    /**
     * {@return the same for the alternate path; false if there is none}
     *
     * @param skb the received packet
     */
    boolean isOnAlternatePath(SkBuff skb);

    /** Makes the alternate path the primary one; packets of the peer may still arrive over the old one for a while. */
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
     * {@return the slot of the port's table with the partition that a packet's key belongs to}
     *
     * @param pkey 16 bits
     */
    int pkeyIndex(int pkey);
}
