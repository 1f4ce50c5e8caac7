package io.rdma4j.net.sched;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of the packets that wait for a transmit queue leaves next, and when ({@code struct Qdisc}). Belongs to the owner
 * of the loop; allocates nothing, and throws nothing.
 */
public interface Qdisc {
    /** What tools call its kind ({@code Qdisc_ops.id}). */
    String kind();

    /**
     * Takes a packet, or a train.
     *
     * @return false if there is no room: the buffer stays the caller's
     */
    boolean enqueue(SkBuff skb);

    /**
     * The packet that may leave at {@code nowNs}, which becomes the caller's; null if there is none, or none before
     * {@link #nextDeadlineNs}.
     */
    @Nullable
    SkBuff dequeue(long nowNs);

    /** Buffers that wait ({@code qdisc_qlen}). */
    int length();

    /** The most that may wait, as the device's {@code tx_queue_len} says. */
    void limit(int packets);

    /**
     * When {@link #dequeue} will have something again, though it has nothing now and buffers wait;
     * {@link io.rdma4j.base.Deadline#NEVER} if none waits for time.
     */
    long nextDeadlineNs();

    /** Frees the buffers of which {@code condition} holds; returns how many there were. */
    int dropWaiting(Predicate<? super SkBuff> condition);
}
