// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The backlog and the counters of one worker of a loop ({@code struct softnet_data}). Only the loop's owner uses it.
 */
public final class SoftnetData {
    private final SkBuffQueue backlog = new SkBuffQueue(Integer.MAX_VALUE);
    private long processed;
    private long dropped;
    private long timeSqueeze;
    private long receivedRps;

    SoftnetData() {}

    /** {@return packets that the worker delivered to protocols} */
    public long processed() {
        return processed;
    }

    /** {@return packets for which its backlog had no room} */
    public long dropped() {
        return dropped;
    }

    /** {@return runs of the worker that ended with the budget used up and packets left} */
    public long timeSqueeze() {
        return timeSqueeze;
    }

    /** {@return packets in the backlog} */
    public int backlog() {
        return backlog.length();
    }

    boolean isIdle() {
        return processed == 0 && dropped == 0 && receivedRps == 0;
    }

    void countProcessed(int packets) {
        processed += packets;
    }

    void countSqueeze() {
        timeSqueeze++;
    }

    /** {@code enqueue_to_backlog}; returns false if there is no room. */
    boolean enqueue(SkBuff skb, int limit) {
        if (backlog.length() >= limit) {
            dropped++;
            return false;
        }
        receivedRps++;
        return backlog.enqueue(skb);
    }

    @Nullable
    SkBuff dequeue() {
        return backlog.dequeue();
    }

    int drop(Predicate<? super SkBuff> condition) {
        return backlog.purge(condition);
    }

    /** Formats a line of {@code /proc/net/softnet_stat}: hexadecimal words, total and dropped first. */
    String line(int worker) {
        return String.format(
                "%08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x",
                processed, dropped, timeSqueeze, 0, 0, 0, 0, 0, 0, receivedRps, 0, backlog.length(), worker);
    }
}
