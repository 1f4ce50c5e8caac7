package io.rdma4j.net.filter;

import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Tcp;

/**
 * How long a flow is remembered after its last packet, nanoseconds.
 *
 * @param newNs of UDP, and all that is no TCP, while nobody has answered
 * @param udpNs once somebody has ({@code nf_conntrack_udp_timeout_stream})
 * @param tcpNewNs of TCP while nobody has answered
 * @param tcpNs once somebody has
 * @param otherNs of other protocols once somebody has
 */
public record FlowTimeouts(long newNs, long udpNs, long tcpNewNs, long tcpNs, long otherNs) {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long DAY_S = 86_400;

    /** As Linux has them. */
    public static final FlowTimeouts DEFAULT =
            new FlowTimeouts(30 * SECOND_NS, 120 * SECOND_NS, 120 * SECOND_NS, 5 * DAY_S * SECOND_NS, 30 * SECOND_NS);

    long of(int protocol, boolean answered) {
        if (protocol == Tcp.PROTOCOL) {
            return answered ? tcpNs : tcpNewNs;
        }
        if (!answered) {
            return newNs;
        }
        return protocol == Ipv4.PROTOCOL_UDP ? udpNs : otherNs;
    }
}
