// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.net.receive.ReceiveHandler;
import io.rdma4j.packet.SharedInfo;
import io.rdma4j.packet.SkBuff;

/** Receives the datagrams to a port in place of an endpoint ({@code encap_rcv} of {@code udp_sock}). */
@FunctionalInterface
public interface UdpEncapHandler {
    /**
     * Receives a datagram. Its data begin behind the UDP header, and the linear part ends with the datagram. Network
     * and transport headers are set and checked. The rules of {@link ReceiveHandler#receive} apply.
     *
     * @param skb belongs to the handler, which frees it
     */
    void receive(SkBuff skb);

    /**
     * {@return true if the handler accepts trains, which a link has merged from datagrams of one flow} A train has the
     * headers of the first datagram, with the length fields of the whole train. Each datagram has {@link
     * SharedInfo#gsoSize} bytes; the last one may be shorter. All of it is linear. Such a handler must free each buffer
     * before {@link #receive} returns, also one without a train, because the link has few of them.
     */
    default boolean takesTrains() {
        return false;
    }
}
