// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Tcp;

/**
 * Times for which a flow is tracked after its last packet, nanoseconds.
 *
 * @param newNs UDP and other protocols except TCP, before the first reply
 * @param udpNs UDP after a reply ({@code nf_conntrack_udp_timeout_stream})
 * @param tcpNewNs TCP before the first reply
 * @param tcpNs TCP after a reply
 * @param otherNs other protocols after a reply
 */
public record FlowTimeouts(long newNs, long udpNs, long tcpNewNs, long tcpNs, long otherNs) {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long DAY_S = 86_400;

    /** Defaults of Linux. */
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
