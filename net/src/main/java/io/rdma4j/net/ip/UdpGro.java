package io.rdma4j.net.ip;

import io.rdma4j.net.GroReceiver;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.SkBuff;

/**
 * Which datagrams may be merged ({@code udp_gro_receive}): those to an endpoint of this host that asked for it, and what a
 * link has merged already to a handler that takes it, if no filter of the stack looks at packets.
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

    /** What a link has merged lies in memory that it needs again: no endpoint may keep it. */
    private boolean isWanted(SkBuff skb) {
        UdpEncapHandler handler = input.handlerOf(skb);
        if (skb.isGso()) {
            return handler != null && handler.takesTrains();
        }
        UdpEndpoint endpoint = handler == null ? ports.find(skb) : null;
        return endpoint != null && endpoint.gro();
    }
}
