// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;

/** Link header operations of Ethernet devices ({@code eth_header_ops}). */
public final class EthernetHeader implements HeaderOps {
    /** The only instance. */
    public static final EthernetHeader OPS = new EthernetHeader();

    private EthernetHeader() {}

    /** {@code eth_header}. */
    @Override
    public void create(SkBuff skb, int protocol, long destination, long source) {
        Ethernet.write(skb.memory(), skb.push(Ethernet.BYTES), destination, source, protocol);
    }

    /** {@code eth_header_parse}. */
    @Override
    public long parse(SkBuff skb) {
        return Ethernet.source(skb.memory(), skb.macHeader());
    }

    /** {@code eth_rebuild_header}. */
    @Override
    public void rebuild(SkBuff skb, long destination) {
        int at = skb.macHeader();
        long source = Ethernet.source(skb.memory(), at);
        Ethernet.write(skb.memory(), at, destination, source, Ethernet.etherType(skb.memory(), at));
    }
}
