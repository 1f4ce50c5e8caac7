package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes the IP and UDP header off a received packet and gives it to the handler of its port ({@code ip_rcv},
 * {@code udp_rcv}). Malformed packets only count.
 *
 * <p>IPv4 without options and IPv6 without extension headers; no fragments. Addresses are the handler's to check.
 * Checksums are not looked at: a device that hides the header has none to check, and what RoCE carries has a CRC over
 * these fields. Not thread-safe: belongs to the loop of its device, handlers are registered before.
 */
public final class UdpInput implements ReceiveHandler {
    private static final int MALFORMED = -1;

    private int[] ports = {};
    private UdpEncapHandler[] handlers = {};
    private int[] protocols = {};
    private ReceiveHandler[] receivers = {};
    private long malformed;
    private long notUdp;
    private long noPort;
    private long otherHost;
    private long delivered;

    /**
     * Gives datagrams to {@code port} to {@code handler}.
     *
     * @param port 1..65535
     * @throws RdmaException EINVAL for another port, EADDRINUSE if the port has a handler
     */
    public void register(int port, UdpEncapHandler handler) {
        if (port < 1 || port > 0xFFFF) {
            throw new RdmaException(Errno.EINVAL, "UDP port " + port + " is not in 1..65535");
        }
        if (handlerOf(port) != null) {
            throw new RdmaException(Errno.EADDRINUSE, "UDP port " + port + " has a handler");
        }
        // One port in practice: a scan of an array beats any map, and copying here spares checks there.
        int count = ports.length;
        ports = Arrays.copyOf(ports, count + 1);
        handlers = Arrays.copyOf(handlers, count + 1);
        ports[count] = port;
        handlers[count] = handler;
    }

    /**
     * Gives IP packets with something other than UDP in them to {@code receiver}, behind their IP header, whose place is known
     * ({@code inet_add_protocol}).
     *
     * @param protocol number of the header that follows the IP header, 8 bits
     * @throws RdmaException EBUSY if the protocol has a receiver, as UDP has
     */
    public void registerProtocol(int protocol, ReceiveHandler receiver) {
        if (protocol == Ipv4.PROTOCOL_UDP || receiverOf(protocol) != null) {
            throw new RdmaException(Errno.EBUSY, "IP protocol " + protocol + " has a receiver");
        }
        int count = protocols.length;
        protocols = Arrays.copyOf(protocols, count + 1);
        receivers = Arrays.copyOf(receivers, count + 1);
        protocols[count] = protocol;
        receivers[count] = receiver;
    }

    private @Nullable ReceiveHandler receiverOf(int protocol) {
        for (int i = 0; i < protocols.length; i++) {
            if (protocols[i] == protocol) {
                return receivers[i];
            }
        }
        return null;
    }

    private @Nullable UdpEncapHandler handlerOf(int port) {
        for (int i = 0; i < ports.length; i++) {
            if (ports[i] == port) {
                return handlers[i];
            }
        }
        return null;
    }

    /** Packets with lengths that contradict each other, fragments, options, unknown IP versions. */
    public long malformed() {
        return malformed;
    }

    /** Well-formed IP packets with something in them that has no receiver. */
    public long notUdp() {
        return notUdp;
    }

    /** Datagrams to a port without handler ({@code UDP_MIB_NOPORTS}). */
    public long noPort() {
        return noPort;
    }

    /** Packets that the link addressed to another station: a promiscuous device lets them in, but not to here. */
    public long otherHost() {
        return otherHost;
    }

    /** Datagrams given to a handler. */
    public long delivered() {
        return delivered;
    }

    @Override
    public void receive(SkBuff skb) {
        if (skb.packetType() == PacketType.OTHERHOST) {
            otherHost++;
            skb.free();
            return;
        }
        int ipBytes = ipHeaderBytes(skb);
        if (ipBytes == MALFORMED) {
            malformed++;
            skb.free();
            return;
        }
        int protocol = ipProtocol(skb, ipBytes);
        if (protocol != Ipv4.PROTOCOL_UDP) {
            receiveOther(skb, ipBytes, protocol);
            return;
        }
        if (!checkUdp(skb, ipBytes)) {
            malformed++;
            skb.free();
            return;
        }
        UdpEncapHandler handler = handlerOf(Udp.destinationPort(skb.memory(), skb.data() + (long) ipBytes));
        if (handler == null) {
            noPort++;
            skb.free();
            return;
        }
        markHeaders(skb, ipBytes);
        PacketChecksum.pull(skb, ipBytes + Udp.BYTES);
        delivered++;
        handler.receive(skb);
    }

    private void receiveOther(SkBuff skb, int ipBytes, int protocol) {
        ReceiveHandler receiver = receiverOf(protocol);
        if (receiver == null) {
            notUdp++;
            skb.free();
            return;
        }
        markHeaders(skb, ipBytes);
        PacketChecksum.pull(skb, ipBytes);
        receiver.receive(skb);
    }

    private static void markHeaders(SkBuff skb, int ipBytes) {
        skb.protocol(ipBytes == Ipv4.BYTES ? EtherType.IPV4 : EtherType.IPV6);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(ipBytes);
    }

    /** Bytes of the IP header, or MALFORMED; an intact packet is cut to the length that its header gives. */
    private static int ipHeaderBytes(SkBuff skb) {
        if (skb.headLen() < Ipv4.BYTES) {
            return MALFORMED;
        }
        MemorySegment memory = skb.memory();
        int at = skb.data();
        return switch (Ipv4.version(memory, at)) {
            case Ipv4.VERSION -> {
                boolean wellFormed = Ipv4.headerBytes(memory, at) == Ipv4.BYTES && !Ipv4.isFragment(memory, at);
                yield wellFormed && cutTo(skb, Ipv4.totalLength(memory, at), Ipv4.BYTES) ? Ipv4.BYTES : MALFORMED;
            }
            case Ipv6.VERSION -> {
                if (skb.headLen() < Ipv6.BYTES) {
                    yield MALFORMED;
                }
                int length = Ipv6.BYTES + Ipv6.payloadLength(memory, at);
                yield cutTo(skb, length, Ipv6.BYTES) ? Ipv6.BYTES : MALFORMED;
            }
            default -> MALFORMED;
        };
    }

    private static int ipProtocol(SkBuff skb, int ipBytes) {
        return ipBytes == Ipv4.BYTES
                ? Ipv4.protocol(skb.memory(), skb.data())
                : Ipv6.nextHeader(skb.memory(), skb.data());
    }

    private static boolean checkUdp(SkBuff skb, int ipBytes) {
        if (skb.headLen() < ipBytes + Udp.BYTES) {
            return false;
        }
        int length = Udp.length(skb.memory(), skb.data() + (long) ipBytes);
        return cutTo(skb, ipBytes + length, ipBytes + Udp.BYTES);
    }

    /**
     * Cuts what a link added behind the packet; false if the packet is shorter than {@code length}, or {@code length}
     * less than {@code least}. A buffer whose packets are yet to be finished by its offload must have the exact length.
     */
    private static boolean cutTo(SkBuff skb, int length, int least) {
        if (length < least) {
            return false;
        }
        PacketOffload offload = skb.offload();
        if (offload != null) {
            return length == offload.segmentBytes(skb, 0);
        }
        if (length > skb.len()) {
            return false;
        }
        if (length == skb.len()) {
            return true;
        }
        if (skb.isNonlinear()) {
            return false;
        }
        PacketChecksum.trim(skb, length);
        return true;
    }
}
