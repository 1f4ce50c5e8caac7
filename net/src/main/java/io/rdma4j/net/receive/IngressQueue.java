// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Filters received packets after the taps and before all other receivers ({@code ingress_queue} with its qdisc). Only
 * the loop's owner runs the filter.
 */
public final class IngressQueue {
    private volatile @Nullable Predicate<? super SkBuff> filter;
    private long drops;

    IngressQueue() {}

    /**
     * Replaces the filter.
     *
     * @param admits returns false to drop a packet, and changes nothing; null admits all packets
     */
    public void filter(@Nullable Predicate<? super SkBuff> admits) {
        filter = admits;
    }

    /** {@return number of packets that the filter dropped} */
    public long drops() {
        return drops;
    }

    boolean admits(SkBuff skb) {
        Predicate<? super SkBuff> admits = filter;
        if (admits == null || admits.test(skb)) {
            return true;
        }
        drops++;
        return false;
    }
}
