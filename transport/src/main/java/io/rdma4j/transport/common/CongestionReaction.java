// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.base.Deadline;
import io.rdma4j.transport.common.RetryTimers.Timer;
import io.rdma4j.transport.port.CongestionControl;

/**
 * The reaction point of DCQCN: the rate that congestion leaves to a queue pair.
 *
 * <p>Each notification lowers the rate, and lowers it more the longer the congestion lasts. Then the rate rises in
 * steps of time and of bytes sent: first halfway back to what it was (fast recovery), then beyond (additive increase,
 * then hyper increase). At line rate the limit ends.
 */
final class CongestionReaction {
    private final CongestionControl control;
    private final RetryTimers timers;

    private boolean limiting;

    /** Bits per second: the current rate, and the rate that recovery returns to. */
    private double rate;

    private double targetRate;

    /** α of DCQCN, 0 to 1: the estimate of how congested the path is. */
    private double alpha;

    private int timeSteps;
    private int byteSteps;
    private long bytesToStep;

    CongestionReaction(CongestionControl control, RetryTimers timers) {
        this.control = control;
        this.timers = timers;
    }

    /** {@return true from a notification until the rate is back at line rate} */
    boolean isLimiting() {
        return limiting;
    }

    /** {@return the allowed rate in bits per second, infinite without congestion} */
    double rate() {
        return limiting ? rate : Double.POSITIVE_INFINITY;
    }

    /** Ends the limit. */
    void release() {
        limiting = false;
        timers.cancel(Timer.CONGESTION_ALPHA);
        timers.cancel(Timer.RATE_INCREASE);
    }

    /** Lowers the rate. */
    void onNotification(long nowNs) {
        if (!limiting) {
            limiting = true;
            rate = control.lineRate();
            alpha = 1;
        }
        targetRate = rate;
        rate = Math.max((double) control.minRate(), rate * (1 - alpha / 2));
        alpha += control.gain() * (1 - alpha);
        timeSteps = 0;
        byteSteps = 0;
        bytesToStep = control.increaseBytes();
        timers.arm(Timer.CONGESTION_ALPHA, Deadline.after(nowNs, control.alphaIntervalNs()));
        timers.arm(Timer.RATE_INCREASE, Deadline.after(nowNs, control.increaseIntervalNs()));
    }

    /** Counts data that were sent. */
    void sent(int bytes) {
        if (!limiting) {
            return;
        }
        bytesToStep -= bytes;
        if (bytesToStep <= 0) {
            bytesToStep += control.increaseBytes();
            byteSteps++;
            increase();
        }
    }

    /** A deadline may have passed. */
    void onTimeout(long nowNs) {
        if (timers.takeIfDue(Timer.CONGESTION_ALPHA, nowNs)) {
            alpha -= control.gain() * alpha;
            timers.arm(Timer.CONGESTION_ALPHA, Deadline.after(nowNs, control.alphaIntervalNs()));
        }
        if (timers.takeIfDue(Timer.RATE_INCREASE, nowNs)) {
            timers.arm(Timer.RATE_INCREASE, Deadline.after(nowNs, control.increaseIntervalNs()));
            timeSteps++;
            increase();
        }
    }

    private void increase() {
        int least = Math.min(timeSteps, byteSteps);
        int most = Math.max(timeSteps, byteSteps);
        if (least > control.recoverySteps()) {
            targetRate += (double) (least - control.recoverySteps()) * control.hyperRate();
        } else if (most >= control.recoverySteps()) {
            targetRate += control.additiveRate();
        }
        targetRate = Math.min(targetRate, (double) control.lineRate());
        rate = (rate + targetRate) / 2;
        // The rate approaches the line rate and never reaches it.
        if (rate + control.additiveRate() >= control.lineRate()) {
            release();
        }
    }
}
