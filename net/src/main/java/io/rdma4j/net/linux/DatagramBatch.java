package io.rdma4j.net.linux;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finished packets of one socket to one destination that go out with one call: all of one size, but the last, which may be shorter, as
 * {@code UDP_SEGMENT} has it. For one thread; allocates nothing after the constructor.
 *
 * <p>What they carry lies in one piece of memory, since the system takes longer for each further one than for the copy of a short packet. Their
 * headers of IP and UDP, which the socket makes, are in the way: those of each packet are put over the end of the one before it, which is put back
 * when the packet is finished.
 */
final class DatagramBatch {
    /** {@code UDP_MAX_SEGMENTS} of all versions of Linux. */
    static final int MAX_DATAGRAMS = 64;

    /** A little less than what fits an IP packet with its headers. */
    private static final int MAX_BYTES = 65_000;

    private static final int MAX_HEADER_BYTES = Ipv6.BYTES + Udp.BYTES;

    private final SkBuffPool pool;
    private final MemorySegment covered = Arena.ofAuto().allocate(MAX_HEADER_BYTES, Long.BYTES);
    private final IoVector vector = new IoVector(1);
    private final OutgoingMessage message = new OutgoingMessage(vector);
    private final DatagramTarget target;

    private @Nullable NativeUdpSocket socket;

    /** All packets; its data are the last one. */
    private @Nullable SkBuff packets;

    private int count;

    /** Of each packet, IP and UDP. */
    private int headerBytes;

    /** Bytes of each datagram, of the last one, and of all, without IP and UDP headers. */
    private int sizeBytes;

    private int lastBytes;
    private int allBytes;

    /** Bytes of all packets, headers included. */
    private int packetBytes;

    /**
     * @param maxPacketBytes with IP header
     * @param scopeId of the interface, for link-local addresses
     */
    DatagramBatch(int maxPacketBytes, int scopeId) {
        this.pool = new SkBuffPool(1, TapDevice.HEADROOM + MAX_HEADER_BYTES + Math.max(maxPacketBytes, MAX_BYTES));
        this.target = new DatagramTarget(scopeId);
    }

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Bytes of all its packets, headers included. */
    int packetBytes() {
        return packetBytes;
    }

    /**
     * True if a packet of a buffer may go along with those that are there.
     *
     * @param datagramBytes of the packet, without IP and UDP header
     */
    @SuppressWarnings("ReferenceEquality") // a socket is itself
    boolean accepts(SkBuff skb, NativeUdpSocket from, int datagramBytes) {
        boolean fits = count < MAX_DATAGRAMS
                && lastBytes == sizeBytes
                && datagramBytes <= sizeBytes
                && allBytes + datagramBytes <= MAX_BYTES;
        return fits && from == socket && target.isOf(skb);
    }

    /** Where the next packet, which is accepted, or the first one, is to be finished; {@link #add} or {@link #giveUp} follows. */
    SkBuff next() {
        SkBuff skb = packets;
        if (skb == null) {
            skb = Objects.requireNonNull(pool.allocate(), "the only one");
            skb.reserve(TapDevice.HEADROOM);
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

    /** The packet is finished. */
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

    /** The packet cannot be finished. */
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

    /** Bytes sent, or a negative error number; the packets stay. */
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

    /** Forgets the packets. */
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
