// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.device.LinkType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.IpoibHeader;
import java.lang.foreign.ValueLayout;

/**
 * Link header operations of IP over InfiniBand ({@code ipoib_header_ops}): the encapsulation header of RFC 4391, and
 * before it the number of the destination's link address for the driver.
 */
public final class InfinibandHeader implements HeaderOps {
    /** The only instance. */
    public static final InfinibandHeader OPS = new InfinibandHeader();

    private InfinibandHeader() {}

    /** {@code ipoib_hard_header}. */
    @Override
    public void create(SkBuff skb, int protocol, long destination, long source) {
        int at = skb.push(LinkType.INFINIBAND.headerBytes());
        skb.memory().set(ValueLayout.JAVA_LONG_UNALIGNED, at, destination);
        IpoibHeader.write(skb.memory(), at + (long) Long.BYTES, protocol);
    }

    /** Returns 0: a received packet does not carry the address of its sender. */
    @Override
    public long parse(SkBuff skb) {
        return 0;
    }

    /**
     * {@return the number of the destination's link address, 48 bits} The encapsulation header is behind its 8 bytes.
     *
     * @param skb a packet to send, which begins with its link header
     */
    public static long destination(SkBuff skb) {
        return skb.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, skb.data());
    }
}
