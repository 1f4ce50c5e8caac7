package io.rdma4j.net.linux;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.driver.UdpUnderlayEthtool;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends what packets carry through UDP sockets, a train with as few calls as can be: packets of one size, and a shorter one behind them, go as
 * one ({@code UDP_SEGMENT}), and whoever must cuts them again, at best nobody on this machine. Where Linux or the adapter cannot, they go
 * one by one. For one thread; allocates nothing after the constructor.
 *
 * <p>Whoever cuts them counts the IPv4 identification up from 0, so it is counted here as well, because the CRC of RoCE covers it.
 */
final class UdpSender {
    /** {@code UDP_MAX_SEGMENTS} of all versions of Linux. */
    private static final int MAX_DATAGRAMS = 64;

    /** A little less than what fits an IP packet with its headers. */
    private static final int MAX_BYTES = 65_000;

    private final SkBuffPool finished;
    private final @Nullable SkBuff[] segments = new SkBuff[MAX_DATAGRAMS];
    private final IoVector vector = new IoVector(Math.max(MAX_DATAGRAMS, OutgoingFrame.MAX_PIECES));
    private final OutgoingMessage message = new OutgoingMessage(vector);
    private final OutgoingFrame single;
    private final int scopeId;
    private final UdpUnderlayEthtool ethtool;
    private boolean segmentation = true;

    /**
     * @param maxPacketBytes with IP header
     * @param scopeId of the interface, for link-local addresses
     * @param ethtool where refusals are counted
     */
    UdpSender(int maxPacketBytes, int scopeId, UdpUnderlayEthtool ethtool) {
        this.finished = new SkBuffPool(MAX_DATAGRAMS, TapDevice.HEADROOM + maxPacketBytes);
        this.single = new OutgoingFrame(vector, maxPacketBytes);
        this.scopeId = scopeId;
        this.ethtool = ethtool;
    }

    /** How many packets a buffer is. */
    static int packets(SkBuff skb) {
        return skb.isGso() ? skb.gsoSegs() : 1;
    }

    /**
     * Sends the packets of a buffer from {@code index} on; what cannot be sent is counted.
     *
     * @return index of the first one that the socket has no room for now; the number of packets if there is none
     */
    int send(SkBuff skb, int index, NativeUdpSocket socket, NetDevice device) {
        int packets = packets(skb);
        int headerBytes = address(skb);
        for (int next = index; next < packets; ) {
            int end = groupEnd(skb, next, packets, headerBytes);
            long result = sendGroup(skb, next, end, headerBytes, socket, device);
            if (result == LinuxError.EAGAIN) {
                return next;
            }
            if (result < 0 && end - next > 1 && (result == LinuxError.EIO || result == LinuxError.EINVAL)) {
                segmentation = false;
            } else {
                count(skb, next, end, result >= 0, device);
                next = end;
            }
        }
        return packets;
    }

    private void count(SkBuff skb, int index, int end, boolean sent, NetDevice device) {
        for (int i = index; i < end; i++) {
            if (sent) {
                device.stats().countTransmitted(1, bytes(skb, i));
            } else {
                device.stats().countTransmitError();
                ethtool.countRefused();
            }
        }
    }

    private static int bytes(SkBuff skb, int index) {
        PacketOffload offload = skb.offload();
        return offload == null ? skb.len() : offload.segmentBytes(skb, index);
    }

    /** Writes the destination into the message; bytes of the headers, which are not sent. */
    private int address(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        if (Ipv4.version(memory, at) == Ipv4.VERSION) {
            message.toIpv4(Ipv4.destination(memory, at), Udp.destinationPort(memory, at + (long) Ipv4.BYTES));
            return Ipv4.BYTES + Udp.BYTES;
        }
        message.toIpv6(
                Ipv6.destinationPrefix(memory, at),
                Ipv6.destinationInterfaceId(memory, at),
                Udp.destinationPort(memory, at + (long) Ipv6.BYTES),
                scopeId);
        return Ipv6.BYTES + Udp.BYTES;
    }

    private int groupEnd(SkBuff skb, int first, int packets, int headerBytes) {
        int size = bytes(skb, first);
        int sum = size - headerBytes;
        int end = first + 1;
        while (segmentation && end < packets && end - first < MAX_DATAGRAMS) {
            int next = bytes(skb, end);
            sum += next - headerBytes;
            if (next > size || sum > MAX_BYTES) {
                break;
            }
            end++;
            if (next < size) {
                break;
            }
        }
        return end;
    }

    /** A negative error number if nothing was sent. */
    private long sendGroup(SkBuff skb, int first, int end, int headerBytes, NativeUdpSocket socket, NetDevice device) {
        int largest = bytes(skb, first);
        if (largest > device.maxFrameBytes()) {
            return LinuxError.EMSGSIZE;
        }
        if (skb.offload() == null) {
            int pieces = single.gather(skb, headerBytes);
            message.datagram(pieces);
            return pieces == 0 ? LinuxError.EIO : socket.send(message);
        }
        int built = build(skb, first, end, headerBytes);
        long result = LinuxError.EFAULT;
        if (built == end - first) {
            if (built == 1) {
                message.datagram(1);
            } else {
                message.datagrams(built, largest - headerBytes);
            }
            result = socket.send(message);
        }
        release(built);
        return result;
    }

    /** Finishes packets; fewer than asked for if the memory of a fragment is gone, and with it the rest of the message. */
    private int build(SkBuff train, int first, int end, int headerBytes) {
        PacketOffload offload = Objects.requireNonNull(train.offload());
        boolean counts = end - first > 1 && headerBytes == Ipv4.BYTES + Udp.BYTES;
        int built = 0;
        for (int i = first; i < end; i++) {
            SkBuff packet = Objects.requireNonNull(finished.allocate(), "there are as many as a group has");
            packet.reserve(TapDevice.HEADROOM);
            if (counts) {
                Ipv4.identification(train.memory(), train.data(), i - first);
            }
            if (!offload.segment(train, i, packet)) {
                packet.free();
                break;
            }
            segments[built] = packet;
            vector.set(built, packet.memory(), packet.data() + (long) headerBytes, packet.len() - headerBytes);
            built++;
        }
        if (counts) {
            Ipv4.identification(train.memory(), train.data(), 0);
        }
        return built;
    }

    private void release(int built) {
        for (int i = 0; i < built; i++) {
            SkBuff packet = segments[i];
            segments[i] = null;
            if (packet != null) {
                packet.free();
            }
        }
    }

    void close() {
        finished.close();
    }
}
