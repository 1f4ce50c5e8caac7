// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import io.rdma4j.base.Gid;

/** Range in which an address is valid ({@code rt_scope_t}). */
public enum AddressScope {
    /** Valid everywhere ({@code RT_SCOPE_UNIVERSE}). */
    GLOBAL,
    /** Valid on one link ({@code RT_SCOPE_LINK}): 169.254.0.0/16, fe80::/10. */
    LINK,
    /** Valid on the host itself ({@code RT_SCOPE_HOST}): 127.0.0.0/8, ::1. */
    HOST;

    private static final Gid IPV6_LOOPBACK = new Gid(0, 1);
    private static final int IPV4_LOOPBACK_NET = 127;
    private static final int IPV4_LINK_LOCAL_NET = 0xA9FE;
    private static final long IPV6_LINK_LOCAL_NET = 0xFE80L >>> 6;

    /**
     * {@return the scope that the prefix of an address implies ({@code ipv6_addr_scope})}
     *
     * @param address an IPv4-mapped or IPv6 address
     */
    public static AddressScope of(Gid address) {
        if (address.isIpv4()) {
            if (address.ipv4() >>> 24 == IPV4_LOOPBACK_NET) {
                return HOST;
            }
            return address.ipv4() >>> 16 == IPV4_LINK_LOCAL_NET ? LINK : GLOBAL;
        }
        if (address.equals(IPV6_LOOPBACK)) {
            return HOST;
        }
        return address.prefix() >>> 54 == IPV6_LINK_LOCAL_NET ? LINK : GLOBAL;
    }
}
