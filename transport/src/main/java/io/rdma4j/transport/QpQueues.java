package io.rdma4j.transport;

import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.SendQueue;
import org.jspecify.annotations.Nullable;

/**
 * The device's ends of the queues of one queue pair; the two completion queues may be one.
 *
 * @param receiveQueue not used if there is a shared one
 * @param shared the shared receive queue, or null
 */
public record QpQueues(
        SendQueue sendQueue,
        ReceiveQueue receiveQueue,
        CompletionRing sendCompletions,
        CompletionRing receiveCompletions,
        @Nullable SharedReceives shared) {

    /** A queue pair with two queues of its own. */
    public QpQueues(
            SendQueue sendQueue,
            ReceiveQueue receiveQueue,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions) {
        this(sendQueue, receiveQueue, sendCompletions, receiveCompletions, null);
    }

    /** A queue pair that takes receives from a shared queue. */
    public static QpQueues shared(
            SendQueue sendQueue,
            CompletionRing sendCompletions,
            SharedReceives receives,
            CompletionRing receiveCompletions) {
        return new QpQueues(sendQueue, noReceives(), sendCompletions, receiveCompletions, receives);
    }

    /** An XRC initiator, which receives nothing. */
    public static QpQueues initiator(SendQueue sendQueue, CompletionRing sendCompletions) {
        return new QpQueues(sendQueue, noReceives(), sendCompletions, sendCompletions);
    }

    /** An XRC target: sends nothing, and each message says where it is received. */
    public static QpQueues target() {
        CompletionRing unused = CompletionRing.silent(1);
        return new QpQueues(new SendQueue(1, 1, 0), noReceives(), unused, unused);
    }

    private static ReceiveQueue noReceives() {
        return new ReceiveQueue(1, 1);
    }

    /** What the responder takes from if no message names another. */
    ReceiveSource source(Object protectionDomain) {
        return shared == null
                ? new OwnReceives(receiveQueue, protectionDomain, receiveCompletions)
                : new SharedSource(shared, receiveCompletions);
    }
}
