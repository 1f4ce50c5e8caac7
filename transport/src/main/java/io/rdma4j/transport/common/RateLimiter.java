// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.base.Deadline;
import io.rdma4j.transport.common.RetryTimers.Timer;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.verbs.values.Rate;
import org.jspecify.annotations.Nullable;

/**
 * Limits how fast a queue pair sends: to the static rate of its path, and to the rate that {@link CongestionReaction}
 * allows after a congestion notification.
 *
 * <p>The static rate (IBA 9.11.1) is kept over {@value #BURST_NS} ns rather than from packet to packet, so that packets
 * can be sent in batches. Each datagram has its own path: a datagram to a slow receiver delays those behind it in the
 * queue.
 *
 * <p>The requester and the responder call {@link #packets} before they send data and {@link #sent} afterwards;
 * {@link Timer#PACE} is the time of the next call.
 */
public final class RateLimiter {
    /** The limiter allows a burst of this duration at the allowed rate, and lets a sender catch up on this duration. */
    private static final long BURST_NS = 20_000;

    private static final double BITS_PER_BYTE_NS = 8e9;
    private static final double BITS_PER_MEGABIT = 1e6;
    private static final double UNLIMITED = Double.POSITIVE_INFINITY;

    private final TransportContext context;
    private final RetryTimers timers;

    /** Megabits per second of the path; 0: unlimited. */
    private int pathMegabits;

    /** When all data sent so far have passed at the allowed rate; valid while {@link #counting}. */
    private long freeAtNs;

    private boolean counting;

    /** Null until the first notification: most queue pairs never meet congestion. */
    private @Nullable CongestionReaction reaction;

    public RateLimiter(TransportContext context, RetryTimers timers) {
        this.context = context;
        this.timers = timers;
    }

    /** Clears the path and any congestion state. */
    public void reset() {
        pathMegabits = 0;
        counting = false;
        timers.cancel(Timer.PACE);
        if (reaction != null) {
            reaction.release();
        }
    }

    /** Sets the rate of the receiver of the data sent from now on. */
    public void path(Rate staticRate) {
        pathMegabits = staticRate == Rate.PORT_CURRENT ? 0 : staticRate.mbps();
    }

    /** {@return true if congestion limits the rate} */
    public boolean isLimiting() {
        return reaction != null && reaction.isLimiting();
    }

    /** {@return the allowed rate in bits per second of transport headers and payload} */
    public double rate() {
        double pathRate = pathMegabits == 0 ? UNLIMITED : pathMegabits * BITS_PER_MEGABIT;
        return reaction == null ? pathRate : Math.min(reaction.rate(), pathRate);
    }

    /** {@return true if neither the path nor congestion limits the rate} */
    public boolean isUnlimited() {
        return pathMegabits == 0 && reaction == null;
    }

    /** {@return how many packets of {@code mtuBytes} may leave now in one batch; 0 until {@link Timer#PACE} is due} */
    public int packets(int mtuBytes) {
        if (timers.isArmed(Timer.PACE)) {
            return 0;
        }
        double allowed = rate();
        return allowed == UNLIMITED
                ? Integer.MAX_VALUE
                : (int) Math.max(1, allowed * BURST_NS / BITS_PER_BYTE_NS / mtuBytes);
    }

    /** Counts data that were sent. */
    public void sent(int bytes, long nowNs) {
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
        if (reaction != null) {
            reaction.sent(bytes);
        }
    }

    /** {@return when the data sent now begin to pass: after earlier data, but at most one burst ago} */
    private long beginNs(long nowNs) {
        if (!counting) {
            return nowNs;
        }
        long earliestNs = nowNs - BURST_NS;
        return freeAtNs - earliestNs < 0 ? earliestNs : freeAtNs;
    }

    /** The peer reports that packets of this queue pair met congestion. */
    public void onNotification(long nowNs) {
        CongestionControl control = context.options().congestionControl();
        if (control == null) {
            context.counters().ignoredCnps++;
            return;
        }
        context.counters().handledCnps++;
        if (reaction == null) {
            reaction = new CongestionReaction(control, timers);
        }
        reaction.onNotification(nowNs);
    }

    /** A deadline may have passed. */
    public void onTimeout(long nowNs) {
        // Taking the timer is enough, as with RNR: packets() then allows packets again.
        timers.takeIfDue(Timer.PACE, nowNs);
        if (reaction != null) {
            reaction.onTimeout(nowNs);
        }
    }
}
