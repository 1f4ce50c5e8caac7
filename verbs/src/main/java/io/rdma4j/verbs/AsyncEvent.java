// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.core.EventCounter;
import io.rdma4j.verbs.values.EventType;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous event. Corresponds to {@code struct ibv_async_event}. Immutable. {@link EventType#element} determines
 * which of the last four components is valid.
 *
 * @param type type of the event
 * @param context context of the device that raised the event
 * @param completionQueue the completion queue of a CQ event, else null
 * @param queuePair the queue pair of a QP event, else null
 * @param sharedReceiveQueue the shared receive queue of an SRQ event, else null
 * @param port the port of a port event, from 1; 0 for other events
 */
public record AsyncEvent(
        EventType type,
        Context context,
        @Nullable CompletionQueue completionQueue,
        @Nullable QueuePair queuePair,
        @Nullable SharedReceiveQueue sharedReceiveQueue,
        int port) {
    static AsyncEvent of(EventType type, CompletionQueue cq) {
        return new AsyncEvent(type, cq.context(), cq, null, null, 0);
    }

    static AsyncEvent of(EventType type, QueuePair qp) {
        return new AsyncEvent(type, qp.context(), null, qp, null, 0);
    }

    static AsyncEvent of(EventType type, SharedReceiveQueue srq) {
        return new AsyncEvent(type, srq.context(), null, null, srq, 0);
    }

    /** @param port 0 for the device */
    static AsyncEvent of(EventType type, Context context, int port) {
        return new AsyncEvent(type, context, null, null, null, port);
    }

    /** The counter of unacknowledged events of the affected object. */
    EventCounter counter() {
        if (completionQueue != null) {
            return completionQueue.asyncEventCounter();
        }
        if (sharedReceiveQueue != null) {
            return sharedReceiveQueue.asyncEventCounter();
        }
        return queuePair != null ? queuePair.asyncEventCounter() : context.asyncEventCounter();
    }

    @Override
    public String toString() {
        return type.text() + " (" + about() + ")";
    }

    private Object about() {
        if (completionQueue != null) {
            return completionQueue;
        }
        if (queuePair != null) {
            return queuePair;
        }
        return sharedReceiveQueue != null ? sharedReceiveQueue : "port " + port;
    }
}
