// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import org.jspecify.annotations.Nullable;

/**
 * An ICMP error about a packet, with its type and code in both IP versions and the errno of the sender ({@code
 * icmp_err_convert}).
 */
enum IcmpError {
    /** There is no route. */
    NET_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 0, Icmpv6.DESTINATION_UNREACHABLE, 0, Errno.ENETUNREACH),
    /** The destination does not answer. */
    HOST_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 1, Icmpv6.DESTINATION_UNREACHABLE, 3, Errno.EHOSTUNREACH),
    /**
     * The destination has no receiver for the protocol. With IPv6 the number is the offset of the header that is not
     * supported.
     */
    PROTOCOL_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 2, Icmpv6.PARAMETER_PROBLEM, 1, Errno.EOPNOTSUPP),
    /** The destination has no receiver for the port. */
    PORT_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 3, Icmpv6.DESTINATION_UNREACHABLE, 4, Errno.ECONNREFUSED),
    /** The packet exceeds the next link's MTU and must not be fragmented. The number is that MTU. */
    TOO_BIG(Icmp.DESTINATION_UNREACHABLE, 4, Icmpv6.PACKET_TOO_BIG, 0, Errno.EMSGSIZE),
    /** A router's configuration prohibits the packet. */
    PROHIBITED(Icmp.DESTINATION_UNREACHABLE, 13, Icmpv6.DESTINATION_UNREACHABLE, 1, Errno.EACCES),
    /** The hop limit was exceeded. */
    HOPS_EXCEEDED(Icmp.TIME_EXCEEDED, 0, Icmpv6.TIME_EXCEEDED, 0, Errno.EHOSTUNREACH),
    /** Some of the fragments did not arrive. */
    REASSEMBLY_TIMEOUT(Icmp.TIME_EXCEEDED, 1, Icmpv6.TIME_EXCEEDED, 1, Errno.EHOSTUNREACH),
    /** A header is malformed. The number is the offset of the field. */
    HEADER_PROBLEM(Icmp.PARAMETER_PROBLEM, 0, Icmpv6.PARAMETER_PROBLEM, 0, Errno.EOPNOTSUPP),
    /** A required option is not supported. The number is the offset of the option. */
    OPTION_PROBLEM(Icmp.PARAMETER_PROBLEM, 0, Icmpv6.PARAMETER_PROBLEM, 2, Errno.EOPNOTSUPP);

    private static final IcmpError[] ALL = values();
    private static final int POINTER_SHIFT = 24;
    private static final int MTU_MASK = 0xFFFF;

    private final int type;
    private final int code;
    private final int type6;
    private final int code6;
    private final Errno errno;

    IcmpError(int type, int code, int type6, int code6, Errno errno) {
        this.type = type;
        this.code = code;
        this.type6 = type6;
        this.code6 = code6;
        this.errno = errno;
    }

    int type(boolean isIpv4) {
        return isIpv4 ? type : type6;
    }

    int code(boolean isIpv4) {
        return isIpv4 ? code : code6;
    }

    /** True if repeating the packet cannot succeed. */
    boolean isFatal() {
        return switch (this) {
            case PROTOCOL_UNREACHABLE, PORT_UNREACHABLE, HEADER_PROBLEM, OPTION_PROBLEM -> true;
            default -> false;
        };
    }

    /** Error that the endpoint reports. */
    Errno errno() {
        return errno;
    }

    /** Value of the four bytes after the checksum: MTU or pointer. */
    int rest(boolean isIpv4, int number) {
        return isIpv4 && type == Icmp.PARAMETER_PROBLEM ? number << POINTER_SHIFT : number;
    }

    /** MTU of a received message; it has 16 bits in IPv4. */
    static int mtu(boolean isIpv4, int rest) {
        return isIpv4 ? rest & MTU_MASK : rest;
    }

    /**
     * Returns the error of a received message. An unknown code counts as the first error with the same type. Returns
     * null if the type is no error.
     */
    static @Nullable IcmpError of(boolean isIpv4, int type, int code) {
        IcmpError sameType = null;
        for (IcmpError error : ALL) {
            if (error.type(isIpv4) == type) {
                if (error.code(isIpv4) == code) {
                    return error;
                }
                sameType = sameType == null ? error : sameType;
            }
        }
        return sameType;
    }

    /** Counter of received messages. */
    SnmpCounter received(boolean isIpv4) {
        return switch (kind(isIpv4)) {
            case Icmp.DESTINATION_UNREACHABLE -> SnmpCounter.ICMP_IN_DEST_UNREACHS;
            case Icmp.TIME_EXCEEDED -> SnmpCounter.ICMP_IN_TIME_EXCDS;
            case Icmp.PARAMETER_PROBLEM -> SnmpCounter.ICMP_IN_PARM_PROBS;
            default -> SnmpCounter.ICMP_IN_PKT_TOO_BIGS;
        };
    }

    /** Counter of sent messages. */
    SnmpCounter sent(boolean isIpv4) {
        return switch (kind(isIpv4)) {
            case Icmp.DESTINATION_UNREACHABLE -> SnmpCounter.ICMP_OUT_DEST_UNREACHS;
            case Icmp.TIME_EXCEEDED -> SnmpCounter.ICMP_OUT_TIME_EXCDS;
            case Icmp.PARAMETER_PROBLEM -> SnmpCounter.ICMP_OUT_PARM_PROBS;
            default -> SnmpCounter.ICMP_OUT_PKT_TOO_BIGS;
        };
    }

    /** The IPv4 type with the same meaning; -1 if there is none. */
    private int kind(boolean isIpv4) {
        if (isIpv4) {
            return type;
        }
        return switch (type6) {
            case Icmpv6.DESTINATION_UNREACHABLE -> Icmp.DESTINATION_UNREACHABLE;
            case Icmpv6.TIME_EXCEEDED -> Icmp.TIME_EXCEEDED;
            case Icmpv6.PARAMETER_PROBLEM -> Icmp.PARAMETER_PROBLEM;
            default -> -1;
        };
    }
}
