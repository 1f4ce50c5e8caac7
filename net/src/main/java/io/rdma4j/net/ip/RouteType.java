package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import org.jspecify.annotations.Nullable;

/** What becomes of packets on a route ({@code RTN_…}). */
public enum RouteType {
    /** They go out of its device, to the gateway or to the destination itself ({@code RTN_UNICAST}). */
    UNICAST(null),
    /** They are for this host ({@code RTN_LOCAL}). */
    LOCAL(null),
    /** They are for all stations of the link, this host among them ({@code RTN_BROADCAST}). */
    BROADCAST(null),
    /** They are for a group of stations ({@code RTN_MULTICAST}). */
    MULTICAST(null),
    /** They are dropped, and nobody is told ({@code RTN_BLACKHOLE}). */
    BLACKHOLE(Errno.EINVAL),
    /** They are dropped, and the sender is told that there is no such host ({@code RTN_UNREACHABLE}). */
    UNREACHABLE(Errno.EHOSTUNREACH),
    /** They are dropped, and the sender is told that this is not allowed ({@code RTN_PROHIBIT}). */
    PROHIBIT(Errno.EACCES),
    /** No route leads there: they are dropped, and the sender is told ({@code ip_null_entry}). */
    NONE(Errno.ENETUNREACH);

    private final @Nullable Errno error;

    RouteType(@Nullable Errno error) {
        this.error = error;
    }

    /** {@return what a sender of this host is told; null where packets go} */
    public @Nullable Errno error() {
        return error;
    }
}
