package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.wire.Icmp;
import io.rdma4j.wire.Icmpv6;
import org.jspecify.annotations.Nullable;

/** What a host or router tells the sender of a packet that came to nothing, and how either IP version says it ({@code icmp_err_convert}). */
enum IcmpError {
    /** No route leads there. */
    NET_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 0, Icmpv6.DESTINATION_UNREACHABLE, 0, Errno.ENETUNREACH),
    /** The host does not answer. */
    HOST_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 1, Icmpv6.DESTINATION_UNREACHABLE, 3, Errno.EHOSTUNREACH),
    /** Nobody there understands what it carries; the number tells where the header is that is not understood, of IPv6 only. */
    PROTOCOL_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 2, Icmpv6.PARAMETER_PROBLEM, 1, Errno.EOPNOTSUPP),
    /** Nobody has the port. */
    PORT_UNREACHABLE(Icmp.DESTINATION_UNREACHABLE, 3, Icmpv6.DESTINATION_UNREACHABLE, 4, Errno.ECONNREFUSED),
    /** It does not fit the next link and must not be cut; the number tells what fits. */
    TOO_BIG(Icmp.DESTINATION_UNREACHABLE, 4, Icmpv6.PACKET_TOO_BIG, 0, Errno.EMSGSIZE),
    /** A router was told not to let it pass. */
    PROHIBITED(Icmp.DESTINATION_UNREACHABLE, 13, Icmpv6.DESTINATION_UNREACHABLE, 1, Errno.EACCES),
    /** It took too many hops. */
    HOPS_EXCEEDED(Icmp.TIME_EXCEEDED, 0, Icmpv6.TIME_EXCEEDED, 0, Errno.EHOSTUNREACH),
    /** Some of its fragments did not come. */
    REASSEMBLY_TIMEOUT(Icmp.TIME_EXCEEDED, 1, Icmpv6.TIME_EXCEEDED, 1, Errno.EHOSTUNREACH),
    /** A header makes no sense; the number tells where. */
    HEADER_PROBLEM(Icmp.PARAMETER_PROBLEM, 0, Icmpv6.PARAMETER_PROBLEM, 0, Errno.EOPNOTSUPP),
    /** An option is not understood that must be; the number tells where. */
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

    /** True if it will not pass by itself. */
    boolean isFatal() {
        return switch (this) {
            case PROTOCOL_UNREACHABLE, PORT_UNREACHABLE, HEADER_PROBLEM, OPTION_PROBLEM -> true;
            default -> false;
        };
    }

    /** What the sender is told. */
    Errno errno() {
        return errno;
    }

    /** What stands behind the checksum: MTU or pointer. */
    int rest(boolean isIpv4, int number) {
        return isIpv4 && type == Icmp.PARAMETER_PROBLEM ? number << POINTER_SHIFT : number;
    }

    /** The MTU of a message that came; IPv4 has 16 bits for it. */
    static int mtu(boolean isIpv4, int rest) {
        return isIpv4 ? rest & MTU_MASK : rest;
    }

    /** What a message means; one that is not known in detail means as much as its type. Null if it is no error. */
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

    /** What the counter of messages that came is. */
    SnmpCounter received(boolean isIpv4) {
        return switch (kind(isIpv4)) {
            case Icmp.DESTINATION_UNREACHABLE -> SnmpCounter.ICMP_IN_DEST_UNREACHS;
            case Icmp.TIME_EXCEEDED -> SnmpCounter.ICMP_IN_TIME_EXCDS;
            case Icmp.PARAMETER_PROBLEM -> SnmpCounter.ICMP_IN_PARM_PROBS;
            default -> SnmpCounter.ICMP_IN_PKT_TOO_BIGS;
        };
    }

    /** What the counter of messages that were sent is. */
    SnmpCounter sent(boolean isIpv4) {
        return switch (kind(isIpv4)) {
            case Icmp.DESTINATION_UNREACHABLE -> SnmpCounter.ICMP_OUT_DEST_UNREACHS;
            case Icmp.TIME_EXCEEDED -> SnmpCounter.ICMP_OUT_TIME_EXCDS;
            case Icmp.PARAMETER_PROBLEM -> SnmpCounter.ICMP_OUT_PARM_PROBS;
            default -> SnmpCounter.ICMP_OUT_PKT_TOO_BIGS;
        };
    }

    /** The type that IPv4 has for what a version's type means; the version's own for what IPv4 has no type for. */
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
