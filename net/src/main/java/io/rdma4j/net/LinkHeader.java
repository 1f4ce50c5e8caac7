package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/** How the packets of one device get their link header ({@code dev->header_ops}). */
public final class LinkHeader {
    private final LinkAddresses link;
    private volatile HeaderOps ops;

    LinkHeader(LinkAddresses link, HeaderOps ops) {
        this.link = link;
        this.ops = ops;
    }

    /** {@return the way in use} */
    public HeaderOps ops() {
        return ops;
    }

    /**
     * For drivers, before packets are sent: replaces the way that is usual on such a link.
     *
     * @param other the driver's
     */
    public void replace(HeaderOps other) {
        ops = other;
    }

    /**
     * Puts the link header in front of a packet that begins with its network header ({@code dev_hard_header}), see
     * {@link HeaderOps#create}. Allocates nothing.
     *
     * @param skb stays the caller's
     * @param protocol what the packet is, 16 bits
     * @param destination address of the link, 48 bits
     */
    public void push(SkBuff skb, int protocol, long destination) {
        skb.protocol(protocol);
        skb.setNetworkHeader(0);
        ops.create(skb, protocol, destination, link.own());
        skb.setMacHeader(0);
    }
}
