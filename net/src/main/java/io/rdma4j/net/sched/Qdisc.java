package io.rdma4j.net.sched;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of the packets that wait for a transmit queue leaves next, and when ({@code struct Qdisc}). Belongs to the owner
 * of the loop; allocates nothing, and throws nothing.
 */
public interface Qdisc {
    /** {@return what tools call its kind ({@code Qdisc_ops.id})} */
    String kind();

    /**
     * Takes a packet, or a train.
     *
     * @param skb the queue's if it is taken
     * @return false if there is no room: the buffer stays the caller's
     */
    boolean enqueue(SkBuff skb);

    /**
     * {@return the packet that may leave at {@code nowNs}, which becomes the caller's; null if there is none, or none
     * before {@link #nextDeadlineNs}}
     *
     * @param nowNs of the loop's clock
     */
    @Nullable
    SkBuff dequeue(long nowNs);

    /** {@return buffers that wait ({@code qdisc_qlen})} */
    int length();

    /**
     * The most that may wait, as the device's {@code tx_queue_len} says.
     *
     * @param packets at least 0
     */
    void limit(int packets);

    /**
     * {@return when {@link #dequeue} will have something again, though it has nothing now and buffers wait;
     * {@link io.rdma4j.base.Deadline#NEVER} if none waits for time}
     */
    long nextDeadlineNs();

    /**
     * Frees the buffers of which {@code condition} holds.
     *
     * @param condition asked of each; changes nothing
     * @return how many there were
     */
    int dropWaiting(Predicate<? super SkBuff> condition);
}
