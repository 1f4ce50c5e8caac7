package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What waits for one worker of a loop, and what it has done ({@code struct softnet_data}). Belongs to the owner of the loop. */
public final class SoftnetData {
    private final SkBuffQueue backlog = new SkBuffQueue(Integer.MAX_VALUE);
    private long processed;
    private long dropped;
    private long timeSqueeze;
    private long receivedRps;

    SoftnetData() {}

    /** {@return packets that it has handed to protocols} */
    public long processed() {
        return processed;
    }

    /** {@return packets for which its backlog had no room} */
    public long dropped() {
        return dropped;
    }

    /** {@return its visits that ended with the budget used up and packets left} */
    public long timeSqueeze() {
        return timeSqueeze;
    }

    /** {@return packets that were chosen for it by their flow} */
    public long receivedRps() {
        return receivedRps;
    }

    /** {@return packets that wait for it} */
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

    /** {@code enqueue_to_backlog}; false if there is no room. */
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

    /** A line of {@code /proc/net/softnet_stat}: hexadecimal words, total and dropped first. */
    String line(int worker) {
        return String.format(
                "%08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x",
                processed, dropped, timeSqueeze, 0, 0, 0, 0, 0, 0, receivedRps, 0, backlog.length(), worker);
    }
}
