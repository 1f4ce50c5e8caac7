package io.rdma4j.net.ip;

import io.rdma4j.net.ReceiveHandler;
import io.rdma4j.packet.SkBuff;

/** Who gets the datagrams to a port ({@code encap_rcv} of {@code udp_sock}). */
@FunctionalInterface
public interface UdpEncapHandler {
    /**
     * A datagram: data starts behind the UDP header, the linear part ends with the datagram; network and transport
     * header are set, and checked. Same rules as {@link ReceiveHandler#receive}.
     *
     * @param skb becomes the handler's, who frees it
     */
    void receive(SkBuff skb);

    /**
     * {@return true if a train may come in one piece, as a link has merged it} That is, datagrams of one flow, the first one's headers in front, whose
     * lengths are those of all together, each of {@link SkBuff#gsoSize} bytes but the last, which may be shorter. All of
     * it is linear. Who takes such buffers has let go of each, train or not, when {@link #receive} returns, because the link has few of them.
     */
    default boolean takesTrains() {
        return false;
    }
}
