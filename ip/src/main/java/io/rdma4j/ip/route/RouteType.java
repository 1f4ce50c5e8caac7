// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.route;

import io.rdma4j.base.Errno;
import org.jspecify.annotations.Nullable;

/** Type of a route: handling of packets to its destinations ({@code RTN_…}). */
public enum RouteType {
    /** Sent through the device, to the gateway or to the destination itself ({@code RTN_UNICAST}). */
    UNICAST(null),
    /** Delivered to this host ({@code RTN_LOCAL}). */
    LOCAL(null),
    /** For all stations of the link, also this host ({@code RTN_BROADCAST}). */
    BROADCAST(null),
    /** For a group of stations ({@code RTN_MULTICAST}). */
    MULTICAST(null),
    /** Dropped without an ICMP error ({@code RTN_BLACKHOLE}). */
    BLACKHOLE(Errno.EINVAL),
    /** Dropped with the ICMP error "host unreachable" ({@code RTN_UNREACHABLE}). */
    UNREACHABLE(Errno.EHOSTUNREACH),
    /** Dropped with the ICMP error "prohibited" ({@code RTN_PROHIBIT}). */
    PROHIBIT(Errno.EACCES),
    /** Dropped with the ICMP error "network unreachable", because there is no route ({@code ip_null_entry}). */
    NONE(Errno.ENETUNREACH);

    private final @Nullable Errno error;

    RouteType(@Nullable Errno error) {
        this.error = error;
    }

    /** {@return the error of a sender on this host; null if packets are sent or delivered} */
    public @Nullable Errno error() {
        return error;
    }
}
