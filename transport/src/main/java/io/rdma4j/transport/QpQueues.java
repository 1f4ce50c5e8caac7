package io.rdma4j.transport;

import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.SendQueue;

/** The device's ends of the rings of one queue pair; the two completion queues may be one. */
public record QpQueues(
        SendQueue sendQueue,
        ReceiveQueue receiveQueue,
        CompletionRing sendCompletions,
        CompletionRing receiveCompletions) {}
