package io.rdma4j.net.ip;

import io.rdma4j.wire.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The extension headers of an IPv6 packet (RFC 8200, 4): options for each hop, routing, options for the destination. What is found
 * behind them is one {@code long}, {@link #protocol} and {@link #offset}, so that nothing is allocated.
 */
final class Ipv6Extensions {
    /** What {@link #protocol} says if the headers contradict their lengths. */
    static final int MALFORMED = -1;
    /** What {@link #protocol} says if an option or routing header must be understood that is not; {@link #offset} is its place. */
    static final int PROBLEM_OPTION = -2;
    /** The same, but nobody is told. */
    static final int SILENT_OPTION = -3;
    /** What {@link #protocol} says if a header makes no sense; {@link #offset} is the place of the field. */
    static final int PROBLEM_HEADER = -4;

    /** {@code NEXTHDR_NONE}: nothing follows. */
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

    /** The header that follows the extensions, 8 bits, or one of the negative numbers. */
    static int protocol(long found) {
        return (int) (found >> Integer.SIZE);
    }

    /** Bytes from the IPv6 header to it. */
    static int offset(long found) {
        return (int) found;
    }

    private static long found(int protocol, int offset) {
        return (long) protocol << Integer.SIZE | offset;
    }

    /** Walks over the headers without looking at options. */
    static long skip(MemorySegment memory, long ip, int length) {
        return walk(memory, ip, length, false);
    }

    /** Walks over the headers of a packet for this host, and looks whether all is understood that must be. */
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

    /** What is wrong with a header, 0 if nothing is: places behind the IPv6 header are never 0. */
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

    /** Where the last header in front of {@code end} says what follows; the headers up to there are well-formed. */
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
