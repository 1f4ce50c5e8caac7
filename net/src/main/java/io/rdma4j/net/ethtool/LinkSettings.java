// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ethtool;

/**
 * Speed and duplex mode of a link ({@code ethtool_link_settings}).
 *
 * @param speedMbps 10^6 bits per second, {@link #UNKNOWN} if not known
 * @param duplex the duplex mode
 * @param autonegotiation true if the two ends negotiated the settings
 */
public record LinkSettings(int speedMbps, Duplex duplex, boolean autonegotiation) {
    /** An unknown speed ({@code SPEED_UNKNOWN}). */
    public static final int UNKNOWN = -1;

    /** Duplex mode of a link. */
    public enum Duplex {
        /** One end at a time sends ({@code DUPLEX_HALF}). */
        HALF,
        /** Both ends may send at the same time ({@code DUPLEX_FULL}). */
        FULL,
        /** Not known ({@code DUPLEX_UNKNOWN}). */
        UNKNOWN
    }
}
