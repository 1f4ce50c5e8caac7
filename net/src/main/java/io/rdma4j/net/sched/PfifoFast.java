package io.rdma4j.net.sched;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Three bands, first in first out each; a band has its turn when those before it are empty ({@code sch_generic.c}). The default
 * of devices whose packets may wait.
 */
public final class PfifoFast implements Qdisc {
    private static final int BANDS = 3;

    /** {@code TC_PRIO_MAX}: what of a priority counts. */
    private static final int PRIORITY_MASK = 15;

    /** The band of each priority ({@code prio2band}): interactive and control traffic first, bulk and filler last. */
    private static final byte[] BAND_OF_PRIORITY = {1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

    private final SkBuffQueue[] bands = new SkBuffQueue[BANDS];
    private int limit;
    private int length;

    /** @param limit packets that may wait at most, in all bands together */
    public PfifoFast(int limit) {
        this.limit = limit;
        for (int band = 0; band < BANDS; band++) {
            bands[band] = new SkBuffQueue(Integer.MAX_VALUE);
        }
    }

    /** The band of a priority, 0 is served first; of the priority, the lower four bits count. */
    public static int bandOf(int priority) {
        return BAND_OF_PRIORITY[priority & PRIORITY_MASK];
    }

    @Override
    public String kind() {
        return "pfifo_fast";
    }

    @Override
    public boolean enqueue(SkBuff skb) {
        if (length >= limit) {
            return false;
        }
        length++;
        return bands[bandOf(skb.priority())].enqueue(skb);
    }

    @Override
    public @Nullable SkBuff dequeue(long nowNs) {
        for (SkBuffQueue band : bands) {
            SkBuff skb = band.dequeue();
            if (skb != null) {
                length--;
                return skb;
            }
        }
        return null;
    }

    @Override
    public int length() {
        return length;
    }

    /** What is in it beyond a lower limit stays. */
    @Override
    public void limit(int packets) {
        limit = packets;
    }

    @Override
    public long nextDeadlineNs() {
        return Deadline.NEVER;
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        for (SkBuffQueue band : bands) {
            dropped += band.purge(condition);
        }
        length -= dropped;
        return dropped;
    }
}
