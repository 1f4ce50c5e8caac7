// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * The addresses of ids as programs and as packets have them. A link-local IPv6 address belongs to an interface, which
 * the address of the program names: its scope.
 */
final class IdAddresses {
    private static final int LINK_LOCAL_SHIFT = Long.SIZE - 10;

    private IdAddresses() {}

    static Gid gid(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw IdErrors.invalid("the name " + address.getHostString() + " is not resolved");
        }
        return Gid.of(ip);
    }

    /** The index of the interface of a link-local address; 0 for others. */
    static int scope(InetSocketAddress address) {
        if (!(address.getAddress() instanceof Inet6Address ip) || !ip.isLinkLocalAddress()) {
            return 0;
        }
        int scope = ip.getScopeId();
        if (scope == 0) {
            throw IdErrors.invalid("the link-local address " + ip.getHostAddress() + " names no interface");
        }
        return scope;
    }

    static boolean isLinkLocal(Gid address) {
        return address.prefix() >>> LINK_LOCAL_SHIFT == Gid.LINK_LOCAL_PREFIX >>> LINK_LOCAL_SHIFT;
    }

    /** @param scope index of the interface, for a link-local address */
    static InetSocketAddress of(Gid address, int port, int scope) {
        InetAddress ip = address.toInetAddress();
        if (isLinkLocal(address) && scope != 0) {
            try {
                ip = Inet6Address.getByAddress(null, address.toBytes(), scope);
            } catch (UnknownHostException e) {
                throw new AssertionError("16 bytes are a legal length", e);
            }
        }
        return new InetSocketAddress(ip, port);
    }
}
