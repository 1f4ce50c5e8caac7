package io.rdma4j.interop.suite;

/**
 * Between what the scenarios are played.
 *
 * @param mtu of every interface, bytes: 1500 or 9000
 */
public record Setup(Carrier carrier, boolean ipv6, int mtu) {
    private static final int JUMBO = 9000;

    /** The largest path MTU that fits. */
    int pathMtu() {
        return mtu >= JUMBO ? 4096 : 1024;
    }

    /** True if our side cannot hear what Linux sends as it is: the JDK's sockets want a UDP checksum over IPv6. */
    boolean needsChecksums() {
        return ipv6 && carrier == Carrier.UDP_PORTABLE;
    }

    /** True if our side does not see the IPv4 identification, which the ICRC covers: a UDP socket keeps it for itself. */
    boolean hidesIdentification() {
        return !ipv6 && (carrier == Carrier.UDP_LINUX || carrier == Carrier.UDP_PORTABLE);
    }

    String device() {
        return carrier.device(ipv6, mtu);
    }

    /** For the table. */
    @Override
    public String toString() {
        return carrier.label() + (ipv6 ? " ipv6 " : " ipv4 ") + mtu;
    }
}
