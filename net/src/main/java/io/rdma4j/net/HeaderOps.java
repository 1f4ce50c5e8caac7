// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/**
 * Link header operations ({@code header_ops}). One object may serve any number of devices. The methods run on the data
 * path: they allocate nothing and throw nothing.
 */
public interface HeaderOps {
    /** Operations of a link without a header. */
    HeaderOps NONE = new HeaderOps() {
        @Override
        public void create(SkBuff skb, int protocol, long destination, long source) {}

        @Override
        public long parse(SkBuff skb) {
            return 0;
        }
    };

    /**
     * Prepends the link header to a packet that begins with its network header and has enough headroom
     * ({@code create}).
     *
     * @param skb the packet; the caller keeps it
     * @param protocol protocol number of the packet, 16 bits
     * @param destination link address of the destination, 48 bits
     * @param source link address of the source, 48 bits
     */
    void create(SkBuff skb, int protocol, long destination, long source);

    /**
     * {@return the link address of a received packet's sender, 48 bits, 0 if the link has none ({@code parse})} The
     * header is at {@link SkBuff#macHeader}.
     *
     * @param skb the packet; the caller keeps it
     */
    long parse(SkBuff skb);

    /**
     * Replaces the destination in the header of a packet ({@code rebuild}), because the address was unknown before or
     * has changed. Does nothing on links without this operation: those without a header, and IP over InfiniBand.
     *
     * @param skb the packet; the caller keeps it
     * @param destination link address of the destination, 48 bits
     */
    default void rebuild(SkBuff skb, long destination) {}
}
