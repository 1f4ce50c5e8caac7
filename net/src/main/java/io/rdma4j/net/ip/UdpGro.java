package io.rdma4j.net.ip;

import io.rdma4j.net.GroReceiver;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.SkBuff;

/**
 * Which datagrams may be merged ({@code udp_gro_receive}): those to an endpoint of this host that asked for it, if no filter of the
 * stack looks at packets.
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
        if (input.hasHandler(skb) || hooks.isWatched(HookPoint.PREROUTING) || hooks.isWatched(HookPoint.INPUT)) {
            return false;
        }
        UdpEndpoint endpoint = ports.find(skb);
        return endpoint != null
                && endpoint.gro()
                && interfaces.isOwn(IpPacket.destinationPrefix(skb), IpPacket.destinationInterfaceId(skb));
    }
}
