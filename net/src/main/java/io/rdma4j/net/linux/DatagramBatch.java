package io.rdma4j.net.linux;

import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Finished packets of one socket to one destination that go out with one call: all of one size, but the last, which may be shorter, as
 * {@code UDP_SEGMENT} has it. For one thread; allocates nothing after the constructor.
 */
final class DatagramBatch {
    /** {@code UDP_MAX_SEGMENTS} of all versions of Linux. */
    static final int MAX_DATAGRAMS = 64;

    /** A little less than what fits an IP packet with its headers. */
    private static final int MAX_BYTES = 65_000;

    private final @Nullable SkBuff[] packets = new SkBuff[MAX_DATAGRAMS];
    private final IoVector vector = new IoVector(MAX_DATAGRAMS);
    private final OutgoingMessage message = new OutgoingMessage(vector);
    private final DatagramTarget target;

    private @Nullable NativeUdpSocket socket;
    private int count;

    /** Bytes of each datagram, of the last one, and of all, without IP and UDP headers. */
    private int sizeBytes;

    private int lastBytes;
    private int allBytes;

    /** Bytes of all packets, headers included. */
    private int packetBytes;

    /** @param scopeId of the interface, for link-local addresses */
    DatagramBatch(int scopeId) {
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

    /** Takes over a finished packet, which is accepted, or the first one. */
    void add(SkBuff packet, NativeUdpSocket from) {
        int headerBytes = DatagramTarget.headerBytes(packet);
        int bytes = packet.len() - headerBytes;
        if (count == 0) {
            socket = from;
            target.set(packet);
            sizeBytes = bytes;
        }
        packets[count] = packet;
        vector.set(count, packet.memory(), packet.data() + (long) headerBytes, bytes);
        lastBytes = bytes;
        allBytes += bytes;
        packetBytes += packet.len();
        count++;
    }

    /** Bytes sent, or a negative error number; the packets stay. */
    long send() {
        NativeUdpSocket from = socket;
        if (from == null) {
            return 0;
        }
        target.writeTo(message);
        if (count == 1) {
            message.datagram(1);
        } else {
            message.datagrams(count, sizeBytes);
        }
        return from.send(message);
    }

    /** Frees the packets. */
    void clear() {
        for (int i = 0; i < count; i++) {
            SkBuff packet = packets[i];
            packets[i] = null;
            if (packet != null) {
                packet.free();
            }
        }
        count = 0;
        allBytes = 0;
        packetBytes = 0;
        socket = null;
    }
}
