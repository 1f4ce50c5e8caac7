// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.sched;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits packets to a rate, with bursts up to the size of a token bucket ({@code sch_tbf.c}). Waiting packets leave
 * first in, first out.
 *
 * <p>Tokens are nanoseconds of link time at that rate. A packet leaves when the bucket contains its link time. A train
 * longer than the bucket leaves when the bucket is full; the tokens then become negative, so that the average rate is
 * kept. The caller supplies the time.
 */
public final class TokenBucket implements Qdisc {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final long bytesPerSecond;
    private final int burstBytes;
    private final long burstNs;
    private final SkBuffQueue waiting = new SkBuffQueue(Integer.MAX_VALUE);
    private int limit;
    private long tokensNs;
    private long filledNs;
    private boolean filled;
    private long nextDeadlineNs = Deadline.NEVER;

    /**
     * Creates a full bucket.
     *
     * @param bytesPerSecond at least 1
     * @param burstBytes maximum burst after a pause, bytes, at least 1
     * @param limit maximum number of waiting buffers
     * @throws RdmaException EINVAL for other values
     */
    public TokenBucket(long bytesPerSecond, int burstBytes, int limit) {
        if (bytesPerSecond < 1 || burstBytes < 1) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a token bucket of " + bytesPerSecond + " bytes a second and " + burstBytes
                            + " bytes at once: both are at least 1");
        }
        this.bytesPerSecond = bytesPerSecond;
        this.burstBytes = burstBytes;
        this.burstNs = timeOf(burstBytes);
        this.limit = limit;
    }

    private long timeOf(int bytes) {
        return bytes * SECOND_NS / bytesPerSecond;
    }

    /** {@return the rate, bytes per second} */
    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** {@return maximum burst after a pause, bytes} */
    public int burstBytes() {
        return burstBytes;
    }

    @Override
    public String kind() {
        return "tbf";
    }

    @Override
    public boolean enqueue(SkBuff skb) {
        return waiting.length() < limit && waiting.enqueue(skb);
    }

    @Override
    public @Nullable SkBuff dequeue(long nowNs) {
        SkBuff next = waiting.peek();
        nextDeadlineNs = Deadline.NEVER;
        if (next == null) {
            return null;
        }
        fill(nowNs);
        long costNs = timeOf(next.len());
        long missingNs = Math.min(costNs, burstNs) - tokensNs;
        if (missingNs > 0) {
            nextDeadlineNs = Deadline.after(nowNs, missingNs);
            return null;
        }
        tokensNs -= costNs;
        return waiting.dequeue();
    }

    private void fill(long nowNs) {
        tokensNs = filled ? Math.min(burstNs, tokensNs + (nowNs - filledNs)) : burstNs;
        filledNs = nowNs;
        filled = true;
    }

    @Override
    public int length() {
        return waiting.length();
    }

    @Override
    public void limit(int packets) {
        limit = packets;
    }

    @Override
    public long nextDeadlineNs() {
        return nextDeadlineNs;
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        return waiting.purge(condition);
    }
}
