// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.net.skb.FlowKeys;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Identifies the flow of a packet ({@code struct nf_conntrack_tuple}): the addresses and ports of {@link FlowKeys}. An
 * ICMP echo has its identifier in place of both ports. One object serves all packets.
 */
final class FlowTuple {
    /** Kind of a packet for the tracker. */
    enum Kind {
        /** A packet of a flow: the tuple is that of the packet. */
        FLOW,
        /** An ICMP error: the tuple is that of the packet that caused it. */
        ERROR,
        /** A packet without a flow: no IP packet, a fragment, another ICMP message, or malformed. */
        NONE
    }

    private static final ValueLayout.OfShort BIG_ENDIAN =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int ICMP = 1;
    private static final int ICMPV6 = 58;
    private static final int ICMP_BYTES = 8;
    private static final int IDENTIFIER = 4;
    private static final int ECHO_REPLY = 0;
    private static final int ECHO_REQUEST = 8;
    private static final int ECHO_REQUEST_V6 = 128;
    private static final int ECHO_REPLY_V6 = 129;
    /** Bit mask of the types destination unreachable, source quench, redirect, time exceeded, parameter problem. */
    private static final int ERRORS = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 11 | 1 << 12;

    private static final int LAST_ERROR_V6 = 4;

    private final FlowKeys keys = new FlowKeys();
    private int sourcePort;
    private int destinationPort;

    /** Parses a packet whose network header is set. */
    Kind read(SkBuff skb) {
        if (!keys.dissect(skb)) {
            return Kind.NONE;
        }
        if (!isIcmpError()) {
            return readFlow() ? Kind.FLOW : Kind.NONE;
        }
        boolean quoted = keys.dissectInner(keys.transportOffset() + ICMP_BYTES) && readFlow();
        return quoted ? Kind.ERROR : Kind.NONE;
    }

    private boolean isIcmpError() {
        if (keys.isFragment() || keys.transportOffset() + ICMP_BYTES > keys.end()) {
            return false;
        }
        int type = type();
        return switch (keys.protocol()) {
            case ICMP -> type < Integer.SIZE && (ERRORS >>> type & 1) != 0;
            case ICMPV6 -> type >= 1 && type <= LAST_ERROR_V6;
            default -> false;
        };
    }

    private int type() {
        return keys.memory().get(ValueLayout.JAVA_BYTE, keys.transportOffset()) & 0xFF;
    }

    private boolean readFlow() {
        sourcePort = keys.sourcePort();
        destinationPort = keys.destinationPort();
        if (keys.isFragment()) {
            return false;
        }
        if (keys.protocol() != ICMP && keys.protocol() != ICMPV6) {
            return true;
        }
        if (keys.transportOffset() + ICMP_BYTES > keys.end() || !isEcho(type())) {
            return false;
        }
        sourcePort = keys.memory().get(BIG_ENDIAN, keys.transportOffset() + (long) IDENTIFIER) & 0xFFFF;
        destinationPort = sourcePort;
        return true;
    }

    private boolean isEcho(int type) {
        return keys.protocol() == ICMP
                ? type == ECHO_REQUEST || type == ECHO_REPLY
                : type == ECHO_REQUEST_V6 || type == ECHO_REPLY_V6;
    }

    /** Addresses and protocol of the packet. */
    FlowKeys keys() {
        return keys;
    }

    int sourcePort() {
        return sourcePort;
    }

    int destinationPort() {
        return destinationPort;
    }
}
