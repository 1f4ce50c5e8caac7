package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Numbers of DCQCN, the congestion control of RoCEv2 (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015), by which queue pairs slow down when their packets meet a long queue and come back to speed when they do not.
 * The letters are those of the paper.
 *
 * @param notificationIntervalNs N: least time between two notifications of one queue pair
 * @param lineRate bits a second of payload and transport headers: the rate at which the interface sends by itself, from which
 *     the first notification takes down, and at which a queue pair is free again
 * @param minRate bits a second: no notification takes a queue pair below it
 * @param gain g, in 0..1: how much one notification, or one interval without, changes what is believed of the congestion
 * @param alphaIntervalNs K: after so long without a notification the congestion is believed to be less; longer than N
 * @param increaseIntervalNs T: how often the rate is raised
 * @param increaseBytes B: how many bytes sent raise the rate as well
 * @param recoverySteps F: how many times in a row the rate goes half the way back to what it was, before it goes beyond
 * @param additiveRate R_AI, bits a second: what a step beyond adds to the rate aimed at
 * @param hyperRate R_HAI, bits a second: what it adds when neither time nor bytes have seen congestion for more than F steps
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
     * The values of the paper, for which it has some: N 50 µs, g 1/256, K and T 55 µs, B 10 MB, F 5, R_AI 40 Mbit/s. The line
     * rate is 10 Gbit/s, the least rate 10 Mbit/s, R_HAI ten times R_AI as in QCN.
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
     * {@return the same for an interface of another speed: rates in proportion}
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
