// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Parses the extension headers of an IPv6 packet (RFC 8200, 4): hop-by-hop options, routing, and destination options.
 * The result is one {@code long}, read by {@link #protocol} and {@link #offset}, so that no object is allocated.
 */
final class Ipv6Extensions {
    /** Value of {@link #protocol} if a header contradicts its length. */
    static final int MALFORMED = -1;
    /** Value of {@link #protocol} if a required option is not supported; {@link #offset} is that of the option. */
    static final int PROBLEM_OPTION = -2;
    /** As {@link #PROBLEM_OPTION}, for an option that prohibits an ICMP error. */
    static final int SILENT_OPTION = -3;
    /**
     * Value of {@link #protocol} if a header is misplaced, or a routing header has segments left; {@link #offset} is
     * that of the field.
     */
    static final int PROBLEM_HEADER = -4;

    /** {@code NEXTHDR_NONE}: no header follows. */
    static final int NOTHING = 59;

    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int NEXT_HEADER_FIELD = 6;
    private static final int UNIT = 8;
    private static final int SEGMENTS_LEFT = 3;
    private static final int PAD1 = 0;
    private static final int PADN = 1;
    private static final int ROUTER_ALERT = 5;
    private static final int ACTION_SHIFT = 6;
    private static final int MOST_HEADERS = 8;

    private Ipv6Extensions() {}

    /** Type of the header after the extensions, 8 bits, or one of the negative constants. */
    static int protocol(long found) {
        return (int) (found >> Integer.SIZE);
    }

    /** Bytes from the IPv6 header to that header. */
    static int offset(long found) {
        return (int) found;
    }

    private static long found(int protocol, int offset) {
        return (long) protocol << Integer.SIZE | offset;
    }

    /** Skips the extension headers without checking options. */
    static long skip(MemorySegment memory, long ip, int length) {
        return walk(memory, ip, length, false);
    }

    /** Skips the extension headers of a packet for this host, and checks that required options are supported. */
    static long check(MemorySegment memory, long ip, int length) {
        return walk(memory, ip, length, true);
    }

    private static long walk(MemorySegment memory, long ip, int length, boolean checks) {
        int protocol = Ipv6.nextHeader(memory, ip);
        int field = NEXT_HEADER_FIELD;
        int at = Ipv6.BYTES;
        for (int count = 0; isExtension(protocol); count++) {
            if (protocol == HOP_BY_HOP && at != Ipv6.BYTES) {
                return found(PROBLEM_HEADER, field);
            }
            int bytes = length - at < UNIT ? 0 : (get(memory, ip + at + 1) + 1) * UNIT;
            if (bytes == 0 || bytes > length - at || count == MOST_HEADERS) {
                return found(MALFORMED, at);
            }
            if (checks) {
                long problem = check(memory, ip, protocol, at, bytes);
                if (problem != 0) {
                    return problem;
                }
            }
            protocol = get(memory, ip + at);
            field = at;
            at += bytes;
        }
        return found(protocol, at);
    }

    private static boolean isExtension(int protocol) {
        return protocol == HOP_BY_HOP || protocol == ROUTING || protocol == DESTINATION_OPTIONS;
    }

    /** Checks one header. Returns the problem, or 0 if there is none: an offset behind the IPv6 header is never 0. */
    private static long check(MemorySegment memory, long ip, int protocol, int at, int bytes) {
        if (protocol == ROUTING) {
            return get(memory, ip + at + SEGMENTS_LEFT) == 0 ? 0 : found(PROBLEM_HEADER, at + 2);
        }
        int end = at + bytes;
        int option = at + 2;
        while (option < end) {
            int type = get(memory, ip + option);
            int size = type == PAD1 ? 1 : end - option < 2 ? 0 : get(memory, ip + option + 1) + 2;
            if (size == 0 || size > end - option) {
                return found(MALFORMED, option);
            }
            int action = type >>> ACTION_SHIFT;
            if (action != 0 && type != PADN && type != ROUTER_ALERT) {
                return found(action == 1 ? SILENT_OPTION : PROBLEM_OPTION, option);
            }
            option += size;
        }
        return 0;
    }

    /** Offset of the next-header field of the last header in front of {@code end}; the headers must be well-formed. */
    static int lastField(MemorySegment memory, long ip, int end) {
        int field = NEXT_HEADER_FIELD;
        for (int at = Ipv6.BYTES; at < end; at += (get(memory, ip + at + 1) + 1) * UNIT) {
            field = at;
        }
        return field;
    }

    private static int get(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
    }
}
