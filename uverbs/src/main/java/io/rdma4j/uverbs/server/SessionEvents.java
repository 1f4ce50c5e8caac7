// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionSelector;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends a client the events of its context. Corresponds to {@code ib_uverbs_event_read}. Events name objects by the
 * client's numbers.
 */
final class SessionEvents implements AutoCloseable {
    private static final long NONE = 0;

    /** A client with more unread events is disconnected; this bounds the server's memory. */
    private static final int MAX_EVENTS = 1 << 16;

    private final FrameChannel client;
    private final CompletionChannel channel;
    private final CompletionSelector selector = CompletionSelector.open();
    private final EventRegistration registration;
    private final Runnable onFailure;
    private final BlockingQueue<Message> asynchronous = new LinkedBlockingQueue<>(MAX_EVENTS);
    private final ReentrantLock fetching = new ReentrantLock();
    private final Thread completionTeller;
    private final Thread asynchronousTeller;

    /** @param onFailure runs if no more events can be sent to the client */
    SessionEvents(Context context, FrameChannel client, Runnable onFailure) {
        this.client = client;
        this.onFailure = onFailure;
        this.channel = context.createCompletionChannel();
        this.registration = context.registerEventHandler(event -> tell(message(event)));
        selector.add(channel);
        this.completionTeller = Worker.start("completion events", this::tellCompletion, onFailure);
        this.asynchronousTeller =
                Worker.start("asynchronous events", () -> client.send(Frame.event(asynchronous.take())), onFailure);
    }

    /** Sends an event soon; never blocks. */
    void tell(Message event) {
        if (!asynchronous.offer(event)) {
            onFailure.run();
        }
    }

    /** The completion channel of the client's completion queues. */
    CompletionChannel channel() {
        return channel;
    }

    /**
     * Runs an operation, such as closing a queue, while no completion event is between its delivery and its
     * acknowledgement.
     */
    void betweenEvents(Runnable operation) {
        fetching.lock();
        try {
            operation.run();
        } finally {
            fetching.unlock();
        }
    }

    private void tellCompletion() throws InterruptedException, IOException {
        selector.select();
        CompletionQueue queue;
        fetching.lock();
        try {
            queue = channel.getEvent(Duration.ZERO);
            if (queue == null) {
                return;
            }
            queue.acknowledgeEvents(1);
        } finally {
            fetching.unlock();
        }
        client.send(Frame.event(new Message(CommandType.COMPLETION_EVENT)
                .putLong(CommandAttribute.USER_HANDLE, number(queue.userContext()))));
    }

    private static Message message(AsyncEvent event) {
        return new Message(CommandType.ASYNC_EVENT)
                .put(CommandAttribute.EVENT_TYPE, event.type().code())
                .put(CommandAttribute.PORT, event.port())
                .putLong(CommandAttribute.USER_HANDLE, number(owner(event)));
    }

    /** User context of the event's object; null for a port or the device. */
    private static @Nullable Object owner(AsyncEvent event) {
        CompletionQueue cq = event.completionQueue();
        QueuePair qp = event.queuePair();
        SharedReceiveQueue srq = event.sharedReceiveQueue();
        return cq != null ? cq.userContext() : qp != null ? qp.userContext() : srq != null ? srq.userContext() : null;
    }

    private static long number(@Nullable Object userContext) {
        return userContext instanceof Long number ? number : NONE;
    }

    /** Must be called after the queues are closed. */
    @Override
    public void close() {
        registration.close();
        selector.close();
        completionTeller.interrupt();
        asynchronousTeller.interrupt();
        channel.close();
    }
}
