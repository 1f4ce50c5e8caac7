package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
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
 * Tells a client of the events of its context: what {@code ib_uverbs_event_read} gives to those who read the file descriptors. Objects are
 * named by the numbers that the client has given them.
 */
final class SessionEvents implements AutoCloseable {
    private static final long NOBODY = 0;

    /** A client that reads no events is disconnected before they take much memory. */
    private static final int MAX_EVENTS = 1 << 16;

    private final FrameChannel client;
    private final CompletionChannel channel;
    private final CompletionSelector selector = CompletionSelector.open();
    private final EventRegistration registration;
    private final BlockingQueue<Message> asynchronous = new LinkedBlockingQueue<>(MAX_EVENTS);
    private final ReentrantLock fetching = new ReentrantLock();
    private final Thread completionTeller;
    private final Thread asynchronousTeller;

    /** @param onFailure runs if the client cannot be told of events any more */
    SessionEvents(Context context, FrameChannel client, Runnable onFailure) {
        this.client = client;
        this.channel = context.createCompletionChannel();
        this.registration = context.registerEventHandler(event -> {
            if (!asynchronous.offer(message(event))) {
                onFailure.run();
            }
        });
        selector.add(channel);
        this.completionTeller = Worker.start("completion events", this::tellCompletion, onFailure);
        this.asynchronousTeller =
                Worker.start("asynchronous events", () -> client.send(Frame.event(asynchronous.take())), onFailure);
    }

    /** Where the events of the client's completion queues go. */
    CompletionChannel channel() {
        return channel;
    }

    /** Runs something while no completion event is between its delivery and its acknowledgement, such as closing a queue. */
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
        client.send(Frame.event(
                new Message(Command.COMPLETION_EVENT).putLong(Attribute.USER_HANDLE, number(queue.userContext()))));
    }

    private static Message message(AsyncEvent event) {
        return new Message(Command.ASYNC_EVENT)
                .put(Attribute.EVENT_TYPE, event.type().code())
                .put(Attribute.PORT, event.port())
                .putLong(Attribute.USER_HANDLE, number(owner(event)));
    }

    /** What the client has attached to the object of an event; null for a port and the device. */
    private static @Nullable Object owner(AsyncEvent event) {
        CompletionQueue cq = event.completionQueue();
        QueuePair qp = event.queuePair();
        SharedReceiveQueue srq = event.sharedReceiveQueue();
        return cq != null ? cq.userContext() : qp != null ? qp.userContext() : srq != null ? srq.userContext() : null;
    }

    private static long number(@Nullable Object userContext) {
        return userContext instanceof Long number ? number : NOBODY;
    }

    /** After the queues. */
    @Override
    public void close() {
        registration.close();
        selector.close();
        completionTeller.interrupt();
        asynchronousTeller.interrupt();
        channel.close();
    }
}
