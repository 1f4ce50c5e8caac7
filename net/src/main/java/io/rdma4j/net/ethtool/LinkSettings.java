package io.rdma4j.net.ethtool;

/**
 * How fast a link is ({@code ethtool_link_settings}).
 *
 * @param speedMbps 10^6 bits a second, {@link #UNKNOWN} if nobody knows
 * @param duplex whether both ends may send at a time
 * @param autonegotiation whether the two ends found that out by themselves
 */
public record LinkSettings(int speedMbps, Duplex duplex, boolean autonegotiation) {
    /** A speed that nobody knows ({@code SPEED_UNKNOWN}). */
    public static final int UNKNOWN = -1;

    /** Who may send when. */
    public enum Duplex {
        /** One end at a time ({@code DUPLEX_HALF}). */
        HALF,
        /** Both ends ({@code DUPLEX_FULL}). */
        FULL,
        /** Nobody knows ({@code DUPLEX_UNKNOWN}). */
        UNKNOWN
    }
}
