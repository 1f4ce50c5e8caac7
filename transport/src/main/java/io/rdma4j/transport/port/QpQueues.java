// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.SendQueue;
import org.jspecify.annotations.Nullable;

/**
 * The device's ends of the queues of one queue pair; the two completion queues may be the same.
 *
 * @param sendQueue where send requests are taken from
 * @param receiveQueue not used if there is a shared one
 * @param sendCompletions where they complete
 * @param receiveCompletions where receive requests complete
 * @param shared the shared receive queue, or null
 */
public record QpQueues(
        SendQueue sendQueue,
        ReceiveQueue receiveQueue,
        CompletionRing sendCompletions,
        CompletionRing receiveCompletions,
        @Nullable SharedReceiveState shared) {
    /** Always empty. */
    private static final ReceiveQueue NO_RECEIVES = new ReceiveQueue(1, 1);

    /**
     * A queue pair with two queues of its own.
     *
     * @param sendQueue where send requests are taken from
     * @param receiveQueue where receive requests are taken from
     * @param sendCompletions where the former complete
     * @param receiveCompletions where the latter complete
     */
    public QpQueues(
            SendQueue sendQueue,
            ReceiveQueue receiveQueue,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions) {
        this(sendQueue, receiveQueue, sendCompletions, receiveCompletions, null);
    }

    /**
     * {@return a queue pair that takes receives from a shared queue}
     *
     * @param sendQueue where send requests are taken from
     * @param sendCompletions where they complete
     * @param receives where receive requests are taken from
     * @param receiveCompletions where they complete, unless {@code receives} has its own completion queue
     */
    public static QpQueues shared(
            SendQueue sendQueue,
            CompletionRing sendCompletions,
            SharedReceiveState receives,
            CompletionRing receiveCompletions) {
        return new QpQueues(sendQueue, NO_RECEIVES, sendCompletions, receiveCompletions, receives);
    }

    /**
     * {@return an XRC initiator, which receives nothing}
     *
     * @param sendQueue where send requests are taken from
     * @param sendCompletions where they complete
     */
    public static QpQueues initiator(SendQueue sendQueue, CompletionRing sendCompletions) {
        return new QpQueues(sendQueue, NO_RECEIVES, sendCompletions, sendCompletions);
    }

    /** {@return an XRC target: it sends nothing, and each message names its receive queue} */
    public static QpQueues target() {
        CompletionRing unused = CompletionRing.silent(1);
        return new QpQueues(new SendQueue(1, 1, 0), NO_RECEIVES, unused, unused);
    }

    /** True if receive requests are posted to the queue pair's own queue. */
    public boolean hasReceives() {
        return shared == null && receiveQueue.waiting() > 0;
    }

    /** Discards what is posted to the queue pair's own queues. */
    public void clear() {
        sendQueue.clear();
        receiveQueue.clear();
    }

    /** The source of receive requests for messages that name no other one. */
    public ReceiveSource source(Object protectionDomain) {
        return shared == null
                ? new OwnReceiveSource(this, protectionDomain)
                : new SharedReceiveSource(shared.ring(), shared.protectionDomain(), receiveCompletions);
    }
}
