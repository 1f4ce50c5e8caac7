package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/**
 * How the packets of a link get their header ({@code header_ops}). One object serves any number of devices. On the data path:
 * nothing is allocated, nothing thrown.
 */
public interface HeaderOps {
    /** The link has no header. */
    HeaderOps NONE = new HeaderOps() {
        @Override
        public void create(SkBuff skb, int protocol, long destination, long source) {}

        @Override
        public long parse(SkBuff skb) {
            return 0;
        }

        @Override
        public void rebuild(SkBuff skb, long destination) {}
    };

    /**
     * Puts the header in front of a packet that begins with its network header and has room for it ({@code create}).
     *
     * @param skb stays the caller's
     * @param protocol what the packet is, 16 bits
     * @param destination address of the link, 48 bits
     * @param source address of the link, 48 bits
     */
    void create(SkBuff skb, int protocol, long destination, long source);

    /**
     * {@return the station that a received packet is from, 48 bits, 0 if its link does not say so ({@code parse})} Its
     * header is at {@link SkBuff#macHeader}.
     *
     * @param skb stays the caller's
     */
    long parse(SkBuff skb);

    /**
     * Names another station in the header of a packet that has one ({@code rebuild}): its address was not known before, or is
     * another one now.
     *
     * @param skb stays the caller's
     * @param destination address of the link, 48 bits
     */
    void rebuild(SkBuff skb, long destination);
}
