package io.rdma4j.net;

import io.rdma4j.base.Gid;

/** How far an address means something ({@code rt_scope_t}). */
public enum AddressScope {
    /** Everywhere ({@code RT_SCOPE_UNIVERSE}). */
    GLOBAL,
    /** On the link only ({@code RT_SCOPE_LINK}): 169.254.0.0/16, fe80::/10. */
    LINK,
    /** On the host itself ({@code RT_SCOPE_HOST}): 127.0.0.0/8, ::1. */
    HOST;

    private static final Gid IPV6_LOOPBACK = new Gid(0, 1);
    private static final int IPV4_LOOPBACK_NET = 127;
    private static final int IPV4_LINK_LOCAL_NET = 0xA9FE;
    private static final long IPV6_LINK_LOCAL_NET = 0xFE80L >>> 6;

    /**
     * {@return what an address of this number usually means ({@code ipv6_addr_scope})}
     *
     * @param address any
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
