// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.packet.SkBuff;

/** The link header operations of one device ({@code dev->header_ops}). */
public final class LinkHeader {
    private final LinkAddresses link;
    private volatile HeaderOps ops;

    /** Creates it with the default operations of the link type. */
    LinkHeader(LinkAddresses link, LinkType linkType) {
        this.link = link;
        this.ops = switch (linkType) {
            case IP -> HeaderOps.NONE;
            case ETHERNET -> EthernetHeader.OPS;
            case INFINIBAND -> InfinibandHeader.OPS;
        };
    }

    /** {@return the present operations} */
    public HeaderOps ops() {
        return ops;
    }

    /**
     * Replaces the default operations of the link type. A driver calls it before packets are sent.
     *
     * @param other the driver's operations
     */
    public void replace(HeaderOps other) {
        ops = other;
    }

    /**
     * Prepends the link header to a packet that begins with its network header ({@code dev_hard_header}), see
     * {@link HeaderOps#create}. Allocates nothing.
     *
     * @param skb the packet; the caller keeps it
     * @param protocol protocol number of the packet, 16 bits
     * @param destination link address of the destination, 48 bits
     */
    public void push(SkBuff skb, int protocol, long destination) {
        skb.meta().protocol(protocol);
        skb.setNetworkHeader(0);
        ops.create(skb, protocol, destination, link.own());
        skb.setMacHeader(0);
    }
}
