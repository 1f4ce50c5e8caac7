// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.ReceiveHandler;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Receives UDP packets ({@code udp_rcv}): removes the UDP header and passes the datagram to the handler or the endpoint
 * of its port. Without either, it sends the ICMP error "port unreachable". Malformed packets are only counted. Belongs
 * to the owner of the stack's loop, which also registers handlers.
 *
 * <p>Checksums are verified if they are present and the device has not verified them ({@link PacketMeta#ipSummed}). An
 * IPv6 datagram may lack one only if a handler receives it, which detects errors by other means (RFC 6936).
 */
public final class UdpInput implements ReceiveHandler {
    private record Encap(int port, @Nullable NetDevice device, UdpEncapHandler handler) {
        boolean takes(int destination, @Nullable PacketDevice from) {
            return port == destination && (device == null || device == from);
        }
    }

    private final UdpPorts ports;
    private final IcmpSender icmp;
    private final SnmpCounters counters;

    /** In practice one port, so a scan is faster than a map. */
    private Encap[] handlers = {};

    UdpInput(UdpPorts ports, IcmpSender icmp, SnmpCounters counters) {
        this.ports = ports;
        this.icmp = icmp;
        this.counters = counters;
    }

    /**
     * Registers a handler for the datagrams to a port, from all devices.
     *
     * @param port 1..65535
     * @param handler called by the owner of the loop
     * @throws RdmaException EINVAL for another port, EADDRINUSE if the port has a handler
     */
    public void register(int port, UdpEncapHandler handler) {
        add(new Encap(port, null, handler));
    }

    /**
     * Registers a handler for the datagrams to a port that arrive on one device.
     *
     * @param port 1..65535
     * @param device of this namespace
     * @param handler called by the owner of the loop
     * @throws RdmaException EINVAL for another port, EADDRINUSE if the port has a handler for this device, or for all
     *     devices
     */
    public void register(int port, NetDevice device, UdpEncapHandler handler) {
        add(new Encap(port, device, handler));
    }

    private void add(Encap one) {
        if (one.port < 1 || one.port > 0xFFFF) {
            throw new RdmaException(Errno.EINVAL, "UDP port " + one.port + " is not in 1..65535");
        }
        for (Encap other : handlers) {
            if (other.port == one.port
                    && (other.device == null || one.device == null || other.takes(one.port, one.device))) {
                throw new RdmaException(Errno.EADDRINUSE, "UDP port " + one.port + " has a handler");
            }
        }
        handlers = Arrays.copyOf(handlers, handlers.length + 1);
        handlers[handlers.length - 1] = one;
    }

    /**
     * Removes a handler from all its ports; does nothing if it is not registered.
     *
     * @param handler the same object
     */
    @SuppressWarnings("ReferenceEquality") // a handler is itself
    public void unregister(UdpEncapHandler handler) {
        handlers = Arrays.stream(handlers).filter(one -> one.handler != handler).toArray(Encap[]::new);
    }

    @Override
    public void receive(SkBuff skb) {
        boolean isIpv4 = IpPacket.isIpv4(skb);
        if (skb.headLen() < Udp.BYTES || !IpPacket.cutTo(skb, Udp.length(skb.memory(), skb.data()), Udp.BYTES)) {
            drop(skb, isIpv4, SnmpCounter.UDP_IN_ERRORS);
            return;
        }
        UdpEncapHandler handler = handlerOf(
                Udp.destinationPort(skb.memory(), skb.data()), skb.meta().device());
        if (!isIntact(skb, isIpv4 || handler != null)) {
            counters.count(isIpv4, SnmpCounter.UDP_IN_CSUM_ERRORS);
            drop(skb, isIpv4, SnmpCounter.UDP_IN_ERRORS);
        } else if (handler == null) {
            giveToEndpoint(skb, isIpv4);
        } else if (isMerged(skb) && !handler.takesTrains() || skb.shinfo().offload() == null && !skb.linearize()) {
            drop(skb, isIpv4, SnmpCounter.UDP_IN_ERRORS);
        } else {
            PacketChecksum.pull(skb, Udp.BYTES);
            counters.count(isIpv4, SnmpCounter.UDP_IN_DATAGRAMS);
            handler.receive(skb);
        }
    }

    /**
     * True for a buffer that was merged on receipt. The receiver for which it was merged may have closed since, and the
     * present one may not accept it.
     */
    private static boolean isMerged(SkBuff skb) {
        return skb.shinfo().isGso() && skb.shinfo().offload() == null;
    }

    /**
     * True if the checksum is correct or need not be present. A buffer with an offload was made by an engine on this
     * machine, and has no checksum.
     */
    private boolean isIntact(SkBuff skb, boolean mayLackChecksum) {
        return skb.shinfo().offload() != null
                || (Udp.checksum(skb.memory(), skb.data()) == 0
                        ? mayLackChecksum
                        : PacketChecksum.validate(skb, Ipv4.PROTOCOL_UDP));
    }

    private void giveToEndpoint(SkBuff skb, boolean isIpv4) {
        UdpEndpoint endpoint = ports.find(skb);
        if (endpoint == null) {
            icmp.sendError(skb, IcmpError.PORT_UNREACHABLE, 0);
            drop(skb, isIpv4, SnmpCounter.UDP_NO_PORTS);
            return;
        }
        PacketChecksum.pull(skb, Udp.BYTES);
        if (isMerged(skb) && !endpoint.gro()) {
            drop(skb, isIpv4, SnmpCounter.UDP_IN_ERRORS);
        } else if (endpoint.enqueue(skb)) {
            counters.count(isIpv4, SnmpCounter.UDP_IN_DATAGRAMS);
        } else {
            counters.count(isIpv4, SnmpCounter.UDP_RCVBUF_ERRORS);
            drop(skb, isIpv4, SnmpCounter.UDP_IN_ERRORS);
        }
    }

    private void drop(SkBuff skb, boolean isIpv4, SnmpCounter reason) {
        counters.count(isIpv4, reason);
        skb.free();
    }

    /** Returns the handler of a datagram whose transport header is set; null if there is none. */
    @Nullable
    UdpEncapHandler handlerOf(SkBuff skb) {
        return handlerOf(
                Udp.destinationPort(skb.memory(), skb.transportHeader()),
                skb.meta().device());
    }

    private @Nullable UdpEncapHandler handlerOf(int port, @Nullable PacketDevice from) {
        for (Encap one : handlers) {
            if (one.takes(port, from)) {
                return one.handler;
            }
        }
        return null;
    }
}
