// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import java.net.Inet4Address;
import java.net.InetAddress;

/** Kind of the addresses of an {@link AddressInfo}. Corresponds to {@code ai_family}. */
public enum AddressFamily {
    /** IPv4: {@code AF_INET}. */
    INET,
    /** IPv6: {@code AF_INET6}. */
    INET6;

    static AddressFamily of(InetAddress address) {
        return address instanceof Inet4Address ? INET : INET6;
    }
}
