// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.state.EventQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads sleep until one of its completion queues raises an event. Corresponds to {@code struct
 * ibv_comp_channel}.
 *
 * <p>The usual loop: call {@link CompletionQueue#requestNotification}; poll once more, because earlier completions
 * raise no event; call {@link #getEvent}, then {@link CompletionQueue#acknowledgeEvents}; poll again.
 *
 * <p>Any thread, including virtual threads. The caller of {@link Context#createCompletionChannel} closes the channel,
 * after the completion queues that use it.
 *
 * {@snippet :
 * List<WorkCompletion> done = cq.poll(16);
 * while (done.isEmpty()) {
 *     if (!cq.requestNotification(false)) {   // no completion is queued: an event will come
 *         channel.getEvent().acknowledgeEvents(1);
 *     }
 *     done = cq.poll(16);
 * }
 * }
 */
public final class CompletionChannel implements AutoCloseable {
    private final Context context;
    private final Lifecycle life;

    /** The selector that this channel is added to; at most one. */
    private volatile @Nullable CompletionSelector selector;

    /**
     * Completion queues with pending events. Each is in the queue once, however many events it has pending, so the
     * length is bounded by their number.
     */
    private final EventQueue<CompletionQueue> pending;

    CompletionChannel(Context context, int handle) {
        this.context = context;
        this.life = new Lifecycle(ObjectKind.COMPLETION_CHANNEL + " " + handle, context.life());
        this.pending = new EventQueue<>(life, Integer.MAX_VALUE);
    }

    /** {@return the context that the channel was created from} Corresponds to {@code context}. */
    public Context context() {
        return context;
    }

    /**
     * Waits for an event. The caller must acknowledge it with {@link CompletionQueue#acknowledgeEvents}. Corresponds to
     * {@code ibv_get_cq_event}.
     *
     * @return the completion queue that raised the event
     * @throws RdmaException EINVAL if the channel is closed, also if that happens during the wait
     * @throws InterruptedException if the thread was interrupted before an event arrived; no event is lost
     */
    public CompletionQueue getEvent() throws InterruptedException {
        return delivered(pending.take(context.ops()));
    }

    /**
     * As {@link #getEvent()}, with a timeout.
     *
     * @param timeout maximum time to wait; zero checks without waiting
     * @return the completion queue that raised the event, or null after the timeout
     * @throws InterruptedException if the thread was interrupted before an event arrived; no event is lost
     * @throws RdmaException EINVAL if the channel is closed, also if that happens during the wait
     */
    public @Nullable CompletionQueue getEvent(Duration timeout) throws InterruptedException {
        CompletionQueue queue = pending.poll(Arguments.nanoseconds(timeout), context.ops());
        return queue == null ? null : delivered(queue);
    }

    private CompletionQueue delivered(CompletionQueue queue) {
        if (queue.deliverEvent()) {
            add(queue);
        }
        return queue;
    }

    /** Adds a completion queue whose first event is pending. */
    void add(CompletionQueue queue) {
        pending.offer(queue);
        wakeSelector();
    }

    private void wakeSelector() {
        CompletionSelector waiting = selector;
        if (waiting != null) {
            waiting.wakeup();
        }
    }

    /** True if {@link #getEvent} would not wait. */
    boolean hasEvents() {
        return !pending.isEmpty();
    }

    /** Notifies the device that the calling thread is about to sleep until an event arrives. */
    void beforeSleep() {
        context.ops().beforeBlocking();
    }

    /**
     * Sets the selector that is woken at each event; null removes it.
     *
     * @throws RdmaException EBUSY if the channel is in another selector
     */
    synchronized void observe(@Nullable CompletionSelector next) {
        if (next != null && selector != null) {
            throw new RdmaException(Errno.EBUSY, this + " is in another selector");
        }
        selector = next;
    }

    /** Drops the events of a completion queue that is closed. */
    void remove(CompletionQueue queue) {
        pending.removeIf(queue::equals);
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Destroys the channel. Threads that wait on it throw EINVAL. Idempotent. Corresponds to
     * {@code ibv_destroy_comp_channel}.
     *
     * @throws RdmaException EBUSY while a completion queue uses it
     */
    @Override
    public void close() {
        if (life.close()) {
            CompletionSelector waiting = selector;
            if (waiting != null) {
                waiting.remove(this);
            }
            pending.wakeAll();
            context.life().release(ObjectKind.COMPLETION_CHANNEL);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
