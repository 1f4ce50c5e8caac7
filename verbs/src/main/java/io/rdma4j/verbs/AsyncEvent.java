package io.rdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * An asynchronous event. Answers to {@code struct ibv_async_event}; immutable. {@link EventType#element} says which
 * of the last three components is valid.
 *
 * @param type what happened
 * @param context whose device it happened to
 * @param completionQueue the queue of a CQ event
 * @param queuePair the queue pair of a QP event
 * @param port the port of a port event, else 0
 */
public record AsyncEvent(
        EventType type,
        Context context,
        @Nullable CompletionQueue completionQueue,
        @Nullable QueuePair queuePair,
        int port) {
    @Override
    public String toString() {
        String about = completionQueue != null
                ? completionQueue.toString()
                : queuePair != null ? queuePair.toString() : "port " + port;
        return type.text() + " (" + about + ")";
    }
}
