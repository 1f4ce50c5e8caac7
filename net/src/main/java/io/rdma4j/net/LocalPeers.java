// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Peers of a driver that are processes on this machine and share memory with it. The protocol above asks for them,
 * because it can then leave out packets, or transmit longer ones.
 *
 * <p>Only the loop's owner calls the methods. A path is a source address, a destination address and a UDP port of the
 * destination.
 */
public interface LocalPeers {
    /** A driver without shared memory: all peers are behind a network. */
    LocalPeers NONE = new LocalPeers() {
        @Override
        public int burstBytes(Gid source, Gid destination, int port, NetDevice device) {
            return 0;
        }

        @Override
        public boolean readsInPlace(SkBuff skb, Gid source, Gid destination, int port) {
            return false;
        }

        @Override
        public void resolve(Gid source, Gid destination, int port) {}

        @Override
        public @Nullable LocalChannel channel(Gid source, Gid destination, int port) {
            return null;
        }

        @Override
        public boolean isPrivate(Gid source, Gid destination, int port) {
            return false;
        }

        @Override
        public void receiver(@Nullable LocalReceiver receiver) {}
    };

    /**
     * {@return maximum number of bytes in flight to a destination that reads packets in place ({@link #readsInPlace}),
     * so that no socket buffer can overflow; 0 for a destination behind a network} A train may have up to an eighth of
     * it. Both sides rely on that: the sender cuts no longer trains, and the driver must accept such a train whole.
     * Allocates nothing.
     *
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     * @param device the driver's device
     */
    int burstBytes(Gid source, Gid destination, int port, NetDevice device);

    /**
     * {@return true if a destination with {@link #burstBytes} reads the payload of this packet in place: all of it is
     * in memory from {@link NetDeviceOps#allocateBuffer}, or anywhere if the destination can read this process's
     * memory} Allocates nothing.
     *
     * @param skb the packet; the caller keeps it
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     */
    boolean readsInPlace(SkBuff skb, Gid source, Gid destination, int port);

    /**
     * Looks up whether a destination is a process on this machine, and begins to connect, before the first packet. May
     * allocate and access the file system.
     *
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     */
    void resolve(Gid source, Gid destination, int port);

    /**
     * {@return a channel for local messages to a peer, if {@link #resolve} or a packet has found that the peer is a
     * process on this machine; null if the caller must send packets} Allocates nothing.
     *
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     */
    @Nullable
    LocalChannel channel(Gid source, Gid destination, int port);

    /**
     * {@return true if all packets of a peer arrive through a channel that processes of other users cannot access; then
     * a packet from a socket with the peer's address is forged} Allocates nothing.
     *
     * @param source address of this end
     * @param destination address of the peer
     * @param port UDP port of the peer
     */
    boolean isPrivate(Gid source, Gid destination, int port);

    /**
     * Sets the receiver of local messages; peers may send them from now on.
     *
     * @param receiver the receiver; null for none
     */
    void receiver(@Nullable LocalReceiver receiver);
}
