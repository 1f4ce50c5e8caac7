// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.sched;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A queueing discipline: selects the next packet of a transmit queue and its time ({@code struct Qdisc}). Only the
 * loop's owner calls it. The methods allocate nothing and throw nothing.
 */
public interface Qdisc {
    /** {@return name of its kind ({@code Qdisc_ops.id})} */
    String kind();

    /**
     * Enqueues a packet or a train.
     *
     * @param skb the packet; the qdisc owns it if the result is true
     * @return false if there is no room; the caller keeps the buffer
     */
    boolean enqueue(SkBuff skb);

    /**
     * {@return a packet that may leave at {@code nowNs}, which the caller then owns; null if there is none, or none
     * before {@link #nextDeadlineNs}}
     *
     * @param nowNs time of the loop's clock, ns
     */
    @Nullable
    SkBuff dequeue(long nowNs);

    /** {@return number of waiting buffers ({@code qdisc_qlen})} */
    int length();

    /**
     * Sets the maximum number of waiting buffers, from the device's {@code tx_queue_len}.
     *
     * @param packets at least 0
     */
    void limit(int packets);

    /**
     * {@return time at which {@link #dequeue} returns a packet again, if packets wait and none may leave now, ns of the
     * loop's clock; {@link io.rdma4j.base.Deadline#NEVER} if no packet waits for a time}
     */
    long nextDeadlineNs();

    /**
     * Frees matching buffers.
     *
     * @param condition selects buffers; changes nothing
     * @return number of freed buffers
     */
    int dropWaiting(Predicate<? super SkBuff> condition);
}
