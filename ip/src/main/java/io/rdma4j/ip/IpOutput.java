// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import org.jspecify.annotations.Nullable;

/**
 * Sends IP packets of this host ({@code ip_queue_xmit}, {@code ip6_xmit}, {@code ip_output}): adds the IP header,
 * fragments the packet if necessary, resolves the next hop, and passes the packet to the device. Takes ownership of
 * every packet. Belongs to the owner of the stack's loop; allocates nothing.
 */
public final class IpOutput {
    private static final int MAX_BYTES = 0xFFFF;

    private final SnmpCounters counters;
    private final IpFragmenter fragmenter;
    private final NanoClock clock;
    private final int hopLimit;
    private final PacketHooks hooks;
    private int identification;

    IpOutput(SnmpCounters counters, IpBuffers buffers, NanoClock clock, int hopLimit, PacketHooks hooks) {
        this.counters = counters;
        this.fragmenter = new IpFragmenter(buffers, counters, this);
        this.clock = clock;
        this.hopLimit = hopLimit;
        this.hooks = hooks;
    }

    /**
     * Sends a packet that begins with its complete transport header.
     *
     * @param protocol of that header, 8 bits
     * @return null if the packet was passed on; else the error for the sender: that of the route, EMSGSIZE, or EPERM if
     *     a filter dropped the packet
     */
    @Nullable
    Errno send(SkBuff skb, Destination to, Gid source, int protocol, SendOptions options) {
        boolean isIpv4 = source.isIpv4();
        counters.count(isIpv4, SnmpCounter.OUT_REQUESTS);
        Errno error = to.type().error();
        IpInterface out = to.out();
        if (error != null || out == null) {
            counters.count(isIpv4, SnmpCounter.OUT_NO_ROUTES);
            skb.free();
            return error == null ? Errno.ENETUNREACH : error;
        }
        PmtuDiscovery mode = options.mtuDiscover();
        int length = skb.len() + (isIpv4 ? Ipv4.BYTES : Ipv6.BYTES);
        int mtu = mode == PmtuDiscovery.PROBE ? to.linkMtu() : to.mtu(clock.nanoTime());
        if (length > MAX_BYTES || length > mtu && !mode.allowsLocalFragments()) {
            counters.count(isIpv4, SnmpCounter.FRAG_FAILS);
            skb.free();
            return Errno.EMSGSIZE;
        }
        skb.setTransportHeader(0);
        skb.meta().localDf(mode.allowsLocalFragments());
        skb.meta().priority(options.priorityOn(out.device()));
        if (isIpv4) {
            boolean dontFragment = mode.setsDontFragment(length <= mtu, to.isMtuLocked());
            pushIpv4(skb, to.address(), source, protocol, options, dontFragment);
        } else {
            pushIpv6(skb, to.address(), source, protocol, options);
        }
        skb.setNetworkHeader(0);
        if (!hooks.pass(HookPoint.OUTPUT, skb, null, outDevice(to))) {
            counters.count(isIpv4, SnmpCounter.OUT_DISCARDS);
            return Errno.EPERM;
        }
        transmit(skb, to, mtu);
        return null;
    }

    private void pushIpv4(
            SkBuff skb, Gid destination, Gid source, int protocol, SendOptions options, boolean dontFragment) {
        int length = skb.len() + Ipv4.BYTES;
        int at = skb.push(Ipv4.BYTES);
        int id = dontFragment ? 0 : nextIdentification() & 0xFFFF;
        Ipv4.write(
                skb.memory(),
                at,
                length,
                id,
                options.trafficClass(),
                hops(options),
                protocol,
                source.ipv4(),
                destination.ipv4());
        if (!dontFragment) {
            Ipv4.fragment(skb.memory(), at, 0);
            Ipv4.updateChecksum(skb.memory(), at);
        }
        skb.meta().protocol(EtherType.IPV4);
    }

    private void pushIpv6(SkBuff skb, Gid destination, Gid source, int protocol, SendOptions options) {
        int length = skb.len();
        Ipv6.write(
                skb.memory(),
                skb.push(Ipv6.BYTES),
                options.trafficClass(),
                0,
                length,
                protocol,
                hops(options),
                source.prefix(),
                source.interfaceId(),
                destination.prefix(),
                destination.interfaceId());
        skb.meta().protocol(EtherType.IPV6);
    }

    private int hops(SendOptions options) {
        return options.hopLimit() == 0 ? hopLimit : options.hopLimit();
    }

    /** Identification of the next packet that may be fragmented. */
    int nextIdentification() {
        return ++identification;
    }

    private static @Nullable NetDevice outDevice(Destination to) {
        IpInterface out = to.out();
        return out == null ? null : out.device();
    }

    /** Sends a packet that begins with its IP header, in fragments if it exceeds {@code mtu} ({@code ip_output}). */
    void transmit(SkBuff skb, Destination to, int mtu) {
        if (!hooks.pass(HookPoint.POSTROUTING, skb, null, outDevice(to))) {
            counters.count(to.address().isIpv4(), SnmpCounter.OUT_DISCARDS);
        } else if (skb.len() > mtu && !skb.shinfo().isGso()) {
            fragmenter.fragment(skb, to, mtu);
        } else {
            transmit(skb, to);
        }
    }

    /**
     * Sends a packet that fits the MTU ({@code ip_finish_output2}). The packet holds a reference to the route while it
     * waits for the next hop or the device.
     */
    void transmit(SkBuff skb, Destination to) {
        IpInterface out = to.out();
        to.hold();
        skb.meta().dst(to);
        if (to.resolve(skb) && out != null && out.device().transmit(skb) == NetdevTx.BUSY) {
            counters.count(to.address().isIpv4(), SnmpCounter.OUT_DISCARDS);
            skb.free();
        }
    }
}
