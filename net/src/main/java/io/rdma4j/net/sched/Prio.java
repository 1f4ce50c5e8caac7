// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.sched;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A qdisc with bands, each first in, first out; a band is served when those before it are empty ({@code sch_prio.c}). A
 * classifier selects the band of a packet, for example by priority, mark or class of the control group.
 */
public class Prio implements Qdisc {
    /** {@code TCQ_PRIO_BANDS}. */
    public static final int MAX_BANDS = 16;

    private final String kind;
    private final SkBuffQueue[] bands;
    private final ToIntFunction<? super SkBuff> classifier;
    private int limit;
    private int length;

    /**
     * Creates empty bands.
     *
     * @param bandCount 1..16
     * @param limit maximum number of buffers in all bands together
     * @param classifier returns the band of a packet, 0 is served first; a result outside the bands is limited to the
     *     nearest one. Allocates nothing.
     * @throws RdmaException EINVAL for another number of bands
     */
    public Prio(int bandCount, int limit, ToIntFunction<? super SkBuff> classifier) {
        this("prio", bandCount, limit, classifier);
    }

    Prio(String kind, int bandCount, int limit, ToIntFunction<? super SkBuff> classifier) {
        if (bandCount < 1 || bandCount > MAX_BANDS) {
            throw new RdmaException(Errno.EINVAL, bandCount + " bands are not in 1.." + MAX_BANDS);
        }
        this.kind = kind;
        this.limit = limit;
        this.classifier = classifier;
        this.bands = new SkBuffQueue[bandCount];
        for (int band = 0; band < bandCount; band++) {
            bands[band] = new SkBuffQueue(Integer.MAX_VALUE);
        }
    }

    /** {@return number of bands} */
    public final int bands() {
        return bands.length;
    }

    /** {@return the function that selects the band of a packet} */
    public final ToIntFunction<? super SkBuff> classifier() {
        return classifier;
    }

    @Override
    public final String kind() {
        return kind;
    }

    @Override
    public final boolean enqueue(SkBuff skb) {
        if (length >= limit) {
            return false;
        }
        length++;
        return bands[Math.clamp(classifier.applyAsInt(skb), 0, bands.length - 1)].enqueue(skb);
    }

    @Override
    public final @Nullable SkBuff dequeue(long nowNs) {
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
    public final int length() {
        return length;
    }

    /** Sets the limit. Buffers above a lower limit stay. */
    @Override
    public final void limit(int packets) {
        limit = packets;
    }

    @Override
    public final long nextDeadlineNs() {
        return Deadline.NEVER;
    }

    @Override
    public final int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        for (SkBuffQueue band : bands) {
            dropped += band.purge(condition);
        }
        length -= dropped;
        return dropped;
    }
}
