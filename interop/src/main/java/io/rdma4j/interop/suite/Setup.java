// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

/**
 * Network of the scenarios.
 *
 * @param carrier transport of the rdma4j device
 * @param ipv6 whether the scenarios use IPv6
 * @param mtu of every interface, bytes: 1500 or 9000
 */
public record Setup(Backend carrier, boolean ipv6, int mtu) {
    private static final int JUMBO = 9000;

    /** The largest path MTU that the interfaces permit. */
    int pathMtu() {
        return mtu >= JUMBO ? 4096 : 1024;
    }

    /**
     * True if the rdma4j side requires a UDP checksum over IPv6, which Linux does not send: the JDK's sockets drop
     * packets without it.
     */
    boolean needsChecksums() {
        return ipv6 && carrier == Backend.UDP_PORTABLE;
    }

    /**
     * True if the rdma4j side cannot read the IPv4 identification, which the ICRC covers: a UDP socket does not return
     * it.
     */
    boolean hidesIdentification() {
        return !ipv6 && (carrier == Backend.UDP_LINUX || carrier == Backend.UDP_PORTABLE);
    }

    String device() {
        return carrier.device(ipv6, mtu);
    }

    /** Format of the table. */
    @Override
    public String toString() {
        return carrier.label() + (ipv6 ? " ipv6 " : " ipv4 ") + mtu;
    }
}
