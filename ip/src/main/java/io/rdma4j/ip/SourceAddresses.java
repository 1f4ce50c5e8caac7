// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.address.AddressScope;
import io.rdma4j.net.address.InterfaceAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects the source address of packets whose sender sets none ({@code inet_select_addr}, {@code ipv6_dev_get_saddr}).
 */
final class SourceAddresses {
    private final Interfaces interfaces;

    SourceAddresses(Interfaces interfaces) {
        this.interfaces = interfaces;
    }

    /**
     * Returns the source address of the route. Without one, returns an address of the device through which packets
     * leave, preferably of the destination's scope; else a global one of another device; else null.
     */
    @Nullable
    Gid select(Destination to) {
        if (to.type() == RouteType.LOCAL) {
            return to.address();
        }
        Route route = to.route();
        if (route != null && route.source() != null) {
            return route.source();
        }
        IpInterface out = to.out();
        Gid own = out == null ? null : of(out, to.address());
        if (own != null) {
            return own;
        }
        for (IpInterface other : interfaces.array()) {
            Gid foreign = other.isLoopback() ? null : of(other, to.address());
            if (foreign != null && AddressScope.of(foreign) == AddressScope.GLOBAL) {
                return foreign;
            }
        }
        return null;
    }

    private static @Nullable Gid of(IpInterface one, Gid destination) {
        AddressScope wanted = AddressScope.of(destination);
        Gid other = null;
        List<InterfaceAddress> all = one.device().ip().list();
        for (int i = 0; i < all.size(); i++) {
            InterfaceAddress own = all.get(i);
            if (own.address().isIpv4() == destination.isIpv4()) {
                if (own.scope() == wanted) {
                    return own.address();
                }
                other = other == null ? own.address() : other;
            }
        }
        return other;
    }
}
