// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.SkBuff;

/**
 * A time in the format of {@code SO_TIMESTAMP} ({@code struct timeval}).
 *
 * @param seconds seconds since 1970
 * @param microseconds 0..999999
 */
public record Timeval(long seconds, int microseconds) {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MICROSECOND = 1_000L;

    /**
     * {@return the arrival time of a packet ({@code skb_get_timestamp})} Allocates.
     *
     * @param skb the packet; the caller keeps it
     */
    public static Timeval of(SkBuff skb) {
        long ns = skb.meta().tstamp();
        return new Timeval(Math.floorDiv(ns, NANOS_PER_SECOND), (int)
                (Math.floorMod(ns, NANOS_PER_SECOND) / NANOS_PER_MICROSECOND));
    }
}
