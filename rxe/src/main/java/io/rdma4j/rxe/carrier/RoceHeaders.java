// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The IP and UDP headers of RoCEv2 packets (IBA A17.3). */
final class RoceHeaders implements CarrierHeaders {
    /** Kinds of headers in the service level of a received datagram, by which UCX reads its buffer. */
    private static final int IPV6_AND_UDP = 9;

    private static final int IPV4_AND_UDP = 10;

    private final NetDevice device;
    private final GidTable gids;
    private final RoceOffload offload = new RoceOffload();

    RoceHeaders(NetDevice device, GidTable gids) {
        this.device = device;
        this.gids = gids;
    }

    /** {@inheritDoc} Sets a timestamp if timestamps are enabled on the device. */
    @Override
    public void push(SkBuff skb, CarrierPath path) {
        skb.shinfo().offload(offload);
        device.timestamps().set(skb);
        ((NetworkPath) path).push(skb, RoceOffload.transportBytes(skb));
    }

    @Override
    public void pull(SkBuff skb) {
        skb.pull(NetworkPath.ipBytes(skb) + Udp.BYTES);
    }

    @Override
    public boolean leadsHere(CarrierPath path) {
        return gids.contains(path.destination());
    }

    /** {@inheritDoc} On links of IP packets the link delivers to local members itself ({@code ip_mc_output}). */
    @Override
    public boolean isCopiedToMembers(CarrierPath path) {
        return path.destination().isMulticast() && device.linkType() == LinkType.ETHERNET;
    }

    @Override
    public boolean isReverse(SkBuff skb, CarrierPath path) {
        return ((NetworkPath) path).isReversedBy(skb);
    }

    @Override
    public boolean isToThisPort(SkBuff skb) {
        return gids.contains(NetworkPath.destinationPrefix(skb), NetworkPath.destinationInterfaceId(skb));
    }

    @Override
    public boolean isFromThisPort(SkBuff skb) {
        return NetworkPath.cameFromAny(gids, skb);
    }

    @Override
    public long destinationPrefix(SkBuff skb) {
        return NetworkPath.destinationPrefix(skb);
    }

    @Override
    public long destinationInterfaceId(SkBuff skb) {
        return NetworkPath.destinationInterfaceId(skb);
    }

    @Override
    public boolean isCongested(SkBuff skb) {
        return NetworkPath.metCongestion(skb);
    }

    /** {@inheritDoc} The IPv6 header, or 20 zeroes and the IPv4 header. */
    @Override
    public void copyGrh(SkBuff skb, MemorySegment target) {
        int ip = skb.networkHeader();
        boolean v4 = Ipv4.version(skb.memory(), ip) == Ipv4.VERSION;
        int bytes = v4 ? Ipv4.BYTES : Ipv6.BYTES;
        for (int i = 0; i < QpPort.ROUTE_BYTES; i += Long.BYTES) {
            target.set(ValueLayout.JAVA_LONG_UNALIGNED, i, 0);
        }
        MemorySegment.copy(skb.memory(), ip, target, QpPort.ROUTE_BYTES - bytes, bytes);
    }

    /** {@inheritDoc} The service level tells the kind of network header, as ConnectX adapters do. */
    @Override
    public void describeSource(SkBuff skb, CompletionEntry entry) {
        entry.flags |= WcFlag.GRH.bit();
        boolean v4 = Ipv4.version(skb.memory(), skb.networkHeader()) == Ipv4.VERSION;
        entry.route(0, v4 ? IPV4_AND_UDP : IPV6_AND_UDP, 0);
    }
}
