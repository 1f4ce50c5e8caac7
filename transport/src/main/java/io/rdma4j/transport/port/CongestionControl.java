// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Parameters of DCQCN, the congestion control of RoCEv2 (Zhu et al., "Congestion Control for Large-Scale RDMA
 * Deployments", SIGCOMM 2015). A queue pair lowers its rate when its packets meet a long queue and raises it when they
 * do not. The letters are those of the paper.
 *
 * @param notificationIntervalNs N: minimum time between two notifications of one queue pair
 * @param lineRate bits per second of payload and transport headers: the rate of the interface. The first notification
 *     lowers the rate from here; a queue pair back at this rate is not limited
 * @param minRate bits per second: no notification lowers the rate of a queue pair below it
 * @param gain g, in 0..1: how much one notification, or one interval without, changes the congestion estimate
 * @param alphaIntervalNs K: time without a notification after which the congestion estimate is lowered; longer than N
 * @param increaseIntervalNs T: interval between two increases of the rate
 * @param increaseBytes B: number of bytes sent after which the rate is increased as well
 * @param recoverySteps F: number of consecutive increases halfway back to the former rate, before the rate goes beyond
 *     it
 * @param additiveRate R_AI, bits per second: what a step beyond adds to the target rate
 * @param hyperRate R_HAI, bits per second: what a step adds after more than F steps of both time and bytes without
 *     congestion
 */
public record CongestionControl(
        long notificationIntervalNs,
        long lineRate,
        long minRate,
        double gain,
        long alphaIntervalNs,
        long increaseIntervalNs,
        long increaseBytes,
        int recoverySteps,
        long additiveRate,
        long hyperRate) {
    private static final long MEGABIT = 1_000_000;

    /**
     * The values of the paper where it gives them: N 50 µs, g 1/256, K and T 55 µs, B 10 MB, F 5, R_AI 40 Mbit/s. The
     * line rate is 10 Gbit/s, the minimum rate 10 Mbit/s, R_HAI ten times R_AI as in QCN.
     */
    public static final CongestionControl DEFAULT = new CongestionControl(
            50_000,
            10_000 * MEGABIT,
            10 * MEGABIT,
            1 / 256.0,
            55_000,
            55_000,
            10_000_000,
            5,
            40 * MEGABIT,
            400 * MEGABIT);

    /**
     * Checks the ranges.
     *
     * @throws RdmaException EINVAL for a value out of range
     */
    public CongestionControl {
        atLeast("notification interval", notificationIntervalNs, 0);
        atLeast("least rate", minRate, 1);
        atLeast("line rate", lineRate, minRate);
        atLeast("alpha interval", alphaIntervalNs, 1);
        atLeast("increase interval", increaseIntervalNs, 1);
        atLeast("increase bytes", increaseBytes, 1);
        atLeast("recovery steps", recoverySteps, 1);
        atLeast("additive rate", additiveRate, 1);
        atLeast("hyper rate", hyperRate, 1);
        if (!(gain > 0 && gain < 1)) {
            throw new RdmaException(Errno.EINVAL, "gain " + gain + " is not between 0 and 1");
        }
    }

    private static void atLeast(String name, long value, long minimum) {
        if (value < minimum) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " is less than " + minimum);
        }
    }

    /**
     * {@return the same parameters for an interface of another speed, with all rates scaled in proportion}
     *
     * @param bitsPerSecond at least 1000
     */
    public CongestionControl withLineRate(long bitsPerSecond) {
        atLeast("line rate", bitsPerSecond, 1000);
        double factor = (double) bitsPerSecond / lineRate;
        return new CongestionControl(
                notificationIntervalNs,
                bitsPerSecond,
                scaled(minRate, factor),
                gain,
                alphaIntervalNs,
                increaseIntervalNs,
                increaseBytes,
                recoverySteps,
                scaled(additiveRate, factor),
                scaled(hyperRate, factor));
    }

    private static long scaled(long rate, double factor) {
        return Math.max(1, Math.round(rate * factor));
    }
}
