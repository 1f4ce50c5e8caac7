// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.carrier;

import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The peers of a carrier that are processes on this machine. Messages to them need no packets. For the owner of the
 * port loop.
 */
public interface LocalPeers {
    /** All peers are behind a network. */
    LocalPeers NONE = new LocalPeers() {
        @Override
        public int burstBytes(CarrierPath path) {
            return 0;
        }

        @Override
        public boolean readsInPlace(SkBuff skb, CarrierPath path) {
            return false;
        }

        @Override
        public void resolve(CarrierPath path) {}

        @Override
        public @Nullable LocalChannel channel(CarrierPath path) {
            return null;
        }

        @Override
        public boolean isForged(SkBuff skb, CarrierPath path) {
            return false;
        }

        @Override
        public boolean arePassedUnseen() {
            return false;
        }

        @Override
        public void countSent(long messages, long stores, long packets, long bytes) {}

        @Override
        public void countReceived(long messages, long packets, long bytes) {}

        @Override
        public void publish(int domain, int rkey, MemorySegment memory, long iova) {}

        @Override
        public void withdraw(int rkey) {}

        @Override
        public void start(LocalReceiver receiver) {}

        @Override
        public void stop() {}
    };

    /**
     * Returns the maximum number of bytes in flight on a path whose peer reads packets in place ({@link
     * #readsInPlace}), so that no socket buffer can overflow; 0 for a path through a network. A train may have up to an
     * eighth of it. Allocates nothing.
     */
    int burstBytes(CarrierPath path);

    /** Returns true if the peer of a path with {@link #burstBytes} reads the payload of this packet in place. */
    boolean readsInPlace(SkBuff skb, CarrierPath path);

    /**
     * Looks up whether the peer of a path is a process on this machine, and begins to connect, before the first
     * message. May allocate and access the file system.
     */
    void resolve(CarrierPath path);

    /** Returns the channel to the peer of a path; null while there is none, or while it takes no messages. */
    @Nullable
    LocalChannel channel(CarrierPath path);

    /**
     * Returns true if a packet from the network cannot be from the peer of a path, because the peer's packets arrive
     * another way.
     *
     * @param skb received; its addresses are those of the path in reverse
     * @param path of the connection
     */
    boolean isForged(SkBuff skb, CarrierPath path);

    /**
     * Returns true if no program observes or filters the packets of the carrier, so that messages may avoid them. Any
     * thread.
     */
    boolean arePassedUnseen();

    /**
     * Counts messages that were sent, with the packets and bytes that they would have had on the network.
     *
     * @param stores number of those whose payload was stored into memory of the peer
     */
    void countSent(long messages, long stores, long packets, long bytes);

    /** Counts messages that were received, with the packets and bytes that they would have had on the network. */
    void countReceived(long messages, long packets, long bytes);

    /**
     * Permits peers to store into memory, if they can map it. Any thread.
     *
     * @param domain number of the protection domain, not 0
     * @param rkey key of the memory
     * @param iova address of its first byte in work requests
     */
    void publish(int domain, int rkey, MemorySegment memory, long iova);

    /** Ends what {@link #publish} permits; a peer may store until its link rings are checked. Any thread. */
    void withdraw(int rkey);

    /** Starts to deliver messages of peers. */
    void start(LocalReceiver receiver);

    /** Stops to deliver messages. */
    void stop();
}
