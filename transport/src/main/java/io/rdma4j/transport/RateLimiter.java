package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.transport.RetryTimers.Timer;
import io.rdma4j.verbs.Rate;
import org.jspecify.annotations.Nullable;

/**
 * How fast a queue pair may send: no faster than the static rate of its path, and than congestion lets it.
 *
 * <p>For the latter it is the reaction point of DCQCN. A notification takes the rate down, the more the longer the
 * congestion lasts; then it comes back in steps, of time and of bytes sent, first half the way to what it was (fast recovery),
 * then beyond (additive, then hyper increase). At line rate the queue pair is free but for its path, and nothing is measured
 * any more.
 *
 * <p>The static rate (IBA 9.11.1) is kept over {@value #BURST_NS} ns rather than from packet to packet, as trains need it.
 * Datagrams have each a path of its own: one to a slow receiver holds up those behind it in the queue.
 *
 * <p>Whoever sends data asks {@link #packets} before and tells {@link #sent} after; {@link Timer#PACE} says when to ask again.
 */
final class RateLimiter {
    /** What is sent at once is what the rate lets pass in this time, and time lost is made good for as long. */
    private static final long BURST_NS = 20_000;

    private static final double BITS_PER_BYTE_NS = 8e9;
    private static final double BITS_PER_MEGABIT = 1e6;
    private static final double UNLIMITED = Double.POSITIVE_INFINITY;

    private final TransportCounters counters;
    private final RetryTimers timers;
    private final @Nullable CongestionControl control;

    /** Bits a second of the path. */
    private double pathRate = UNLIMITED;

    private boolean limiting;

    /** Bits a second that congestion leaves: now, and where it is to go. */
    private double rate;

    private double targetRate;

    /** α: what is believed of the congestion, 0..1. */
    private double alpha;

    private int timeSteps;
    private int byteSteps;
    private long bytesToStep;

    /** When all that was sent has passed at the rate allowed; of meaning if what was sent last was counted. */
    private long freeAtNs;

    private boolean counting;

    RateLimiter(TransportContext context, RetryTimers timers) {
        this.counters = context.counters();
        this.timers = timers;
        this.control = context.options().congestionControl();
    }

    /** The queue pair has no path, and knows of no congestion. */
    void reset() {
        pathRate = UNLIMITED;
        counting = false;
        timers.cancel(Timer.PACE);
        release();
    }

    /** The congestion is over. */
    private void release() {
        limiting = false;
        timers.cancel(Timer.CONGESTION_ALPHA);
        timers.cancel(Timer.RATE_INCREASE);
    }

    /** What is sent from now on goes to a receiver that takes no more than {@code staticRate}. */
    void path(Rate staticRate) {
        pathRate = staticRate == Rate.PORT_CURRENT ? UNLIMITED : staticRate.mbps() * BITS_PER_MEGABIT;
    }

    /** True if congestion holds the rate down. */
    boolean isLimiting() {
        return limiting;
    }

    /** Bits a second allowed now, of transport headers and payload. */
    double rate() {
        return limiting ? Math.min(rate, pathRate) : pathRate;
    }

    /** Packets of {@code mtuBytes} that may be sent now in one go; 0 until {@link Timer#PACE} is due. */
    int packets(int mtuBytes) {
        if (timers.isArmed(Timer.PACE)) {
            return 0;
        }
        double allowed = rate();
        return allowed == UNLIMITED
                ? Integer.MAX_VALUE
                : (int) Math.max(1, allowed * BURST_NS / BITS_PER_BYTE_NS / mtuBytes);
    }

    /** Data were sent. */
    void sent(int bytes, long nowNs) {
        double allowed = rate();
        if (allowed == UNLIMITED) {
            counting = false;
            return;
        }
        long beginNs = beginNs(nowNs);
        counting = true;
        freeAtNs = beginNs + (long) (bytes * BITS_PER_BYTE_NS / allowed);
        if (freeAtNs - nowNs > 0) {
            timers.arm(Timer.PACE, Deadline.after(freeAtNs, 0));
        }
        if (limiting && control != null) {
            countBytes(bytes, control);
        }
    }

    /** When what is sent now began to pass: after what was sent before, but no longer ago than a burst takes. */
    private long beginNs(long nowNs) {
        if (!counting) {
            return nowNs;
        }
        long earliestNs = nowNs - BURST_NS;
        return freeAtNs - earliestNs < 0 ? earliestNs : freeAtNs;
    }

    private void countBytes(int bytes, CongestionControl numbers) {
        bytesToStep -= bytes;
        if (bytesToStep <= 0) {
            bytesToStep += numbers.increaseBytes();
            byteSteps++;
            increase(numbers);
        }
    }

    /** The peer says that packets of this queue pair have met congestion. */
    void onNotification(long nowNs) {
        CongestionControl numbers = control;
        if (numbers == null) {
            counters.ignoredCnps++;
            return;
        }
        counters.handledCnps++;
        if (!limiting) {
            limiting = true;
            rate = numbers.lineRate();
            alpha = 1;
        }
        targetRate = rate;
        rate = Math.max((double) numbers.minRate(), rate * (1 - alpha / 2));
        alpha += numbers.gain() * (1 - alpha);
        timeSteps = 0;
        byteSteps = 0;
        bytesToStep = numbers.increaseBytes();
        timers.arm(Timer.CONGESTION_ALPHA, Deadline.after(nowNs, numbers.alphaIntervalNs()));
        timers.arm(Timer.RATE_INCREASE, Deadline.after(nowNs, numbers.increaseIntervalNs()));
    }

    /** A deadline may have come. */
    void onTimeout(long nowNs) {
        // As with RNR: that the timer is no longer armed is all that has to happen.
        timers.takeIfDue(Timer.PACE, nowNs);
        CongestionControl numbers = control;
        if (numbers == null) {
            return;
        }
        if (timers.takeIfDue(Timer.CONGESTION_ALPHA, nowNs)) {
            alpha -= numbers.gain() * alpha;
            timers.arm(Timer.CONGESTION_ALPHA, Deadline.after(nowNs, numbers.alphaIntervalNs()));
        }
        if (timers.takeIfDue(Timer.RATE_INCREASE, nowNs)) {
            timers.arm(Timer.RATE_INCREASE, Deadline.after(nowNs, numbers.increaseIntervalNs()));
            timeSteps++;
            increase(numbers);
        }
    }

    private void increase(CongestionControl numbers) {
        int least = Math.min(timeSteps, byteSteps);
        int most = Math.max(timeSteps, byteSteps);
        if (least > numbers.recoverySteps()) {
            targetRate += (double) (least - numbers.recoverySteps()) * numbers.hyperRate();
        } else if (most >= numbers.recoverySteps()) {
            targetRate += numbers.additiveRate();
        }
        targetRate = Math.min(targetRate, (double) numbers.lineRate());
        rate = (rate + targetRate) / 2;
        // It comes ever closer and never there.
        if (rate + numbers.additiveRate() >= numbers.lineRate()) {
            release();
        }
    }
}
