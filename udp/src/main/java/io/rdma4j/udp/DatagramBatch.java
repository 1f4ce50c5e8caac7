// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.linux.call.IoVector;
import io.rdma4j.linux.call.ReceiveBuffers;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gathers finished packets from one socket to one destination, to send them with one call ({@code UDP_SEGMENT}). All
 * have the same size, except the last, which may be shorter. For one thread; allocates nothing after the constructor.
 *
 * <p>All payload is in one contiguous memory segment, because each further segment costs the kernel more time than the
 * copy of a short packet. The socket makes the IP and UDP headers, so they must not be in that memory. The headers of
 * each packet temporarily overwrite the end of the packet before it; {@link #add} and {@link #giveUp} restore those
 * bytes.
 */
final class DatagramBatch {
    /** {@code UDP_MAX_SEGMENTS}, the limit of all versions of Linux. */
    static final int MAX_DATAGRAMS = 64;

    /** Slightly less than the payload of the longest IP packet. */
    private static final int MAX_BYTES = 65_000;

    private static final int MAX_HEADER_BYTES = Ipv6.BYTES + Udp.BYTES;

    private final SkBuffPool pool;
    private final MemorySegment covered = Arena.ofAuto().allocate(MAX_HEADER_BYTES, Long.BYTES);
    private final IoVector vector = new IoVector(1);
    private final OutgoingMessage message = new OutgoingMessage(vector);
    private final DatagramTarget target;

    private @Nullable NativeUdpSocket socket;

    /** Contains all packets; its data are the last one. */
    private @Nullable SkBuff packets;

    private int count;

    /** IP and UDP header of each packet, bytes. */
    private int headerBytes;

    /** Bytes of each datagram, of the last datagram, and of all datagrams, without IP and UDP headers. */
    private int sizeBytes;

    private int lastBytes;
    private int allBytes;

    private int packetBytes;

    /**
     * @param maxPacketBytes with IP header
     * @param scopeId of the interface, for link-local addresses
     */
    DatagramBatch(int maxPacketBytes, int scopeId) {
        this.pool = new SkBuffPool(1, ReceiveBuffers.HEADROOM + MAX_HEADER_BYTES + Math.max(maxPacketBytes, MAX_BYTES));
        this.target = new DatagramTarget(scopeId);
    }

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns the bytes of all packets, headers included. */
    int packetBytes() {
        return packetBytes;
    }

    /**
     * Returns true if a packet can join the batch.
     *
     * @param datagramBytes of the packet, without IP and UDP header
     */
    @SuppressWarnings("ReferenceEquality") // identity
    boolean accepts(SkBuff skb, NativeUdpSocket from, int datagramBytes) {
        boolean fits = count < MAX_DATAGRAMS
                && lastBytes == sizeBytes
                && datagramBytes <= sizeBytes
                && allBytes + datagramBytes <= MAX_BYTES;
        return fits && from == socket && target.isOf(skb);
    }

    /**
     * Returns the buffer in which the caller finishes the next packet. The batch is empty or accepts the packet. The
     * caller then calls {@link #add} or {@link #giveUp}.
     */
    SkBuff next() {
        SkBuff skb = packets;
        if (skb == null) {
            skb = Objects.requireNonNull(pool.allocate(), "the only one");
            skb.reserve(ReceiveBuffers.HEADROOM);
            packets = skb;
        } else {
            skb.pull(skb.len() - headerBytes);
            MemorySegment.copy(skb.memory(), skb.data(), covered, 0, headerBytes);
            skb.trim(0);
        }
        return skb;
    }

    private void uncover(SkBuff skb) {
        MemorySegment.copy(covered, 0, skb.memory(), skb.data(), headerBytes);
    }

    /** Adds the packet that the caller has finished. */
    void add(NativeUdpSocket from) {
        SkBuff skb = Objects.requireNonNull(packets);
        if (count == 0) {
            headerBytes = DatagramTarget.headerBytes(skb);
            socket = from;
            target.set(skb);
            sizeBytes = skb.len() - headerBytes;
        } else {
            uncover(skb);
        }
        lastBytes = skb.len() - headerBytes;
        allBytes += lastBytes;
        packetBytes += skb.len();
        count++;
    }

    /** Discards the packet that the caller could not finish. */
    void giveUp() {
        SkBuff skb = Objects.requireNonNull(packets);
        if (count == 0) {
            clear();
        } else {
            skb.trim(0);
            skb.put(headerBytes);
            uncover(skb);
        }
    }

    /** Sends the packets, which stay in the batch; returns the bytes sent, or a negative error number. */
    long send() {
        NativeUdpSocket from = socket;
        SkBuff skb = packets;
        if (from == null || skb == null) {
            return 0;
        }
        vector.set(0, skb.memory(), skb.tail() - allBytes, allBytes);
        target.writeTo(message);
        if (count == 1) {
            message.datagram(1);
        } else {
            message.datagrams(1, sizeBytes);
        }
        return from.send(message);
    }

    /** Removes all packets. */
    void clear() {
        SkBuff skb = packets;
        if (skb != null) {
            packets = null;
            skb.free();
        }
        count = 0;
        allBytes = 0;
        packetBytes = 0;
        socket = null;
    }

    void close() {
        clear();
        pool.close();
    }
}
