// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.net.receive.GroReceiver;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.SkBuff;

/**
 * Decides which datagrams may be merged ({@code udp_gro_receive}): datagrams to an endpoint of this host with {@code
 * UDP_GRO}, and trains of a link to a handler that accepts them. If a filter of the stack sees received packets, none
 * are merged.
 */
final class UdpGro implements GroReceiver {
    private final Interfaces interfaces;
    private final UdpPorts ports;
    private final UdpInput input;
    private final PacketHooks hooks;

    UdpGro(Interfaces interfaces, UdpPorts ports, UdpInput input, PacketHooks hooks) {
        this.interfaces = interfaces;
        this.ports = ports;
        this.input = input;
        this.hooks = hooks;
    }

    @Override
    public boolean mayTakeMerged() {
        return ports.groCount() > 0;
    }

    @Override
    public boolean takesMerged(SkBuff skb) {
        if (hooks.isWatched(HookPoint.PREROUTING) || hooks.isWatched(HookPoint.INPUT)) {
            return false;
        }
        return isWanted(skb) && interfaces.isOwn(IpPacket.destinationPrefix(skb), IpPacket.destinationInterfaceId(skb));
    }

    /**
     * True if the receiver accepts merged datagrams. An endpoint never gets a train of a link, because its queue would
     * keep memory that the link needs again.
     */
    private boolean isWanted(SkBuff skb) {
        UdpEncapHandler handler = input.handlerOf(skb);
        if (skb.shinfo().isGso()) {
            return handler != null && handler.takesTrains();
        }
        UdpEndpoint endpoint = handler == null ? ports.find(skb) : null;
        return endpoint != null && endpoint.gro();
    }
}
