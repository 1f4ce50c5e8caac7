package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.transport.RetryTimers.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The reaction point of DCQCN: how fast a queue pair may send. A notification takes the rate down, the more the longer the
 * congestion lasts; then it comes back in steps, of time and of bytes sent, first half the way to what it was (fast recovery),
 * then beyond (additive, then hyper increase). At line rate the queue pair is free, and nothing is measured any more.
 *
 * <p>Whoever sends data asks {@link #packets} before and tells {@link #sent} after; {@link Timer#PACE} says when to ask again.
 */
final class RateLimiter {
    /** What is sent at once is what the rate lets pass in this time, and time lost is made good for as long. */
    private static final long BURST_NS = 20_000;

    private static final double BITS_PER_BYTE_NS = 8e9;

    private final TransportCounters counters;
    private final RetryTimers timers;
    private final @Nullable CongestionControl control;

    private boolean limiting;

    /** Bits a second: now, and where it is to go. */
    private double rate;

    private double targetRate;

    /** α: what is believed of the congestion, 0..1. */
    private double alpha;

    private int timeSteps;
    private int byteSteps;
    private long bytesToStep;

    /** When all that was sent has passed at the rate allowed. */
    private long freeAtNs;

    RateLimiter(TransportContext context, RetryTimers timers) {
        this.counters = context.counters();
        this.timers = timers;
        this.control = context.options().congestionControl();
    }

    /** Lets the queue pair go free. */
    void reset() {
        limiting = false;
        timers.cancel(Timer.PACE);
        timers.cancel(Timer.CONGESTION_ALPHA);
        timers.cancel(Timer.RATE_INCREASE);
    }

    /** True if the rate is held down. */
    boolean isLimiting() {
        return limiting;
    }

    /** Bits a second allowed now; of meaning while limiting. */
    double rate() {
        return rate;
    }

    /** Packets of {@code mtuBytes} that may be sent now in one go; 0 until {@link Timer#PACE} is due. */
    int packets(int mtuBytes) {
        if (!limiting) {
            return Integer.MAX_VALUE;
        }
        return timers.isArmed(Timer.PACE) ? 0 : (int) Math.max(1, rate * BURST_NS / BITS_PER_BYTE_NS / mtuBytes);
    }

    /** Data were sent. */
    void sent(int bytes, long nowNs) {
        CongestionControl numbers = control;
        if (!limiting || numbers == null) {
            return;
        }
        long earliestNs = nowNs - BURST_NS;
        freeAtNs = (freeAtNs - earliestNs < 0 ? earliestNs : freeAtNs) + (long) (bytes * BITS_PER_BYTE_NS / rate);
        if (freeAtNs - nowNs > 0) {
            timers.arm(Timer.PACE, Deadline.after(freeAtNs, 0));
        }
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
            freeAtNs = nowNs;
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
            reset();
        }
    }
}
