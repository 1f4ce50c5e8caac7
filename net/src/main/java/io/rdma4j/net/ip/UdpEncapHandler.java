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
}
