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
 * Lets packets leave at a rate, of which a bucket of tokens spares up a burst ({@code sch_tbf.c}). What waits is first in first
 * out.
 *
 * <p>Tokens are nanoseconds of the link at that rate. A packet leaves when the bucket holds its own time; a train that is longer
 * than the bucket leaves when the bucket is full, and leaves it in debt, so that the rate holds over time. The time is the
 * caller's.
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
     * A bucket that is full.
     *
     * @param bytesPerSecond at least 1
     * @param burstBytes what may leave at once after a pause, at least 1
     * @param limit buffers that may wait at most
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

    /** {@return what may leave in a second} */
    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** {@return what may leave at once after a pause} */
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
