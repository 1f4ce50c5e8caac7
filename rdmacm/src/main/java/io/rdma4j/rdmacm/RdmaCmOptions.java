// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

/**
 * Settings of rdma_cm.
 *
 * @param seed of ephemeral ports and first PSNs
 * @param isPrivileged true if programs may bind ports below 1024
 * @param bindV6Only true if IPv6 wildcards do not accept IPv4, {@code net.ipv6.bindv6only}
 * @param responseTimeout time in which a peer answers, exponent of 4.096 µs: 20 is 4.3 s
 * @param maxCmRetries how often a message is repeated: 4 bits
 */
public record RdmaCmOptions(
        long seed, boolean isPrivileged, boolean bindV6Only, int responseTimeout, int maxCmRetries) {
    private static final int RESPONSE_TIMEOUT = 20;
    private static final int MAX_RETRIES = 15;

    /**
     * {@return the defaults of Linux}
     *
     * @param seed of ephemeral ports and first PSNs; different in each process
     */
    public static RdmaCmOptions of(long seed) {
        return new RdmaCmOptions(seed, false, false, RESPONSE_TIMEOUT, MAX_RETRIES);
    }

    /** {@return these options with permission to bind ports below 1024} */
    public RdmaCmOptions privileged() {
        return new RdmaCmOptions(seed, true, bindV6Only, responseTimeout, maxCmRetries);
    }

    /**
     * {@return these options with other times}
     *
     * @param timeout {@link #responseTimeout}
     * @param retries {@link #maxCmRetries}
     */
    public RdmaCmOptions withTimes(int timeout, int retries) {
        return new RdmaCmOptions(seed, isPrivileged, bindV6Only, timeout, retries);
    }
}
