package io.rdma4j.net.ip;

import io.rdma4j.net.ReceiveHandler;
import io.rdma4j.packet.SkBuff;

/** Messages of ICMPv6 that arrive ({@code icmpv6_rcv}). */
final class Icmpv6Input implements ReceiveHandler {
    private final Interfaces interfaces;

    Icmpv6Input(Interfaces interfaces) {
        this.interfaces = interfaces;
    }

    @Override
    public void receive(SkBuff skb) {
        IpInterface in = interfaces.of(skb.device());
        if (in == null) {
            skb.free();
        } else {
            in.discovery().receive(skb);
        }
    }
}
