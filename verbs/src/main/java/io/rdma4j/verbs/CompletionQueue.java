// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Cpu;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.EventCounter;
import io.rdma4j.verbs.core.HandlerCall;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.state.CqCreation;
import io.rdma4j.verbs.state.EventQueue;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.CompletionField;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds completions until the application polls them. Corresponds to {@code struct ibv_cq}.
 *
 * <p>Any thread; concurrent polls exclude each other. The application must poll often enough: a full queue enters the
 * error state and raises {@link EventType#CQ_ERR}. The caller of {@link Context#createCq} closes the queue, after the
 * queue pairs that use it.
 *
 * {@snippet :
 * for (WorkCompletion completion : cq.poll(16)) {
 *     if (completion.status() != WcStatus.SUCCESS) {
 *         throw new IllegalStateException("request " + completion.wrId() + ": " + completion.status().text());
 *     }
 * }
 * try (CompletionCursor cursor = cq.startPoll()) {   // the same without allocation
 *     while (cursor.next()) {
 *         System.out.println(cursor.wrId() + " " + cursor.status());
 *     }
 * }
 * }
 */
public final class CompletionQueue implements AutoCloseable {
    private static final Logger LOG = System.getLogger(CompletionQueue.class.getName());

    private final Context context;
    private final CqInitAttributes attributes;
    private final Lifecycle life;
    private final EventCounter completionEvents = new EventCounter("completion events");
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");

    /** Events raised and not fetched. While there are any, the queue is in the list of its channel. */
    private final AtomicInteger pendingEvents = new AtomicInteger();

    /** Number of threads that sleep in {@link #poll(int, Duration, WaitStrategy)}; one event wakes one of them. */
    private final AtomicInteger parked = new AtomicInteger();

    private final EventQueue<CompletionQueue> wakeUps;

    /** Calls the completion handler; null if there is none. */
    private final @Nullable Runnable handlerCall;

    private final CqOps ops;

    private CompletionQueue(Context context, CqInitAttributes attributes) {
        this.context = context;
        this.attributes = attributes;
        this.life = new Lifecycle(ObjectKind.COMPLETION_QUEUE + " " + context.nextHandle(), context.life());
        this.wakeUps = new EventQueue<>(life, 1);
        Consumer<CompletionQueue> handler = attributes.completionHandler();
        this.handlerCall = handler == null ? null : () -> handler.accept(this);
        Events events = new Events();
        ContextOps contextOps = context.ops();
        this.ops = attributes.buffer() == null
                ? contextOps.createCq(attributes, events)
                : contextOps.createCqInBuffer(attributes, events);
    }

    /** See {@link Context#createCq(CqInitAttributes)}. */
    static CompletionQueue create(Context context, CqInitAttributes attributes) {
        CqCreation.check(context.state(), attributes);
        CompletionChannel channel = attributes.channel();
        if (channel != null) {
            context.checkSame(channel.context(), channel);
        }
        Supplier<CompletionQueue> maker = () -> context.admission()
                .create(
                        ObjectKind.COMPLETION_QUEUE,
                        DeviceLimit.MAX_CQ,
                        () -> new CompletionQueue(context, attributes));
        return channel == null ? maker.get() : channel.life().admit(ObjectKind.COMPLETION_QUEUE, maker);
    }

    private final class Events implements CqEvents {
        @Override
        public void completion() {
            CompletionChannel channel = attributes.channel();
            if (handlerCall != null) {
                callHandler(handlerCall);
            } else if (channel == null) {
                wakeUps.offer(CompletionQueue.this);
            } else if (pendingEvents.getAndIncrement() == 0) {
                channel.add(CompletionQueue.this);
            }
        }

        /** An exception of the handler is logged and does not reach the device. */
        private void callHandler(Runnable call) {
            try {
                HandlerCall.run(call);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "the completion handler of " + life.name() + " failed", e);
            }
        }

        @Override
        public void error() {
            AsyncEvent event = AsyncEvent.of(EventType.CQ_ERR, CompletionQueue.this);
            context.asyncEvents().dispatch(event, attributes.eventHandler());
        }
    }

    /** {@return the context that the queue was created from} Corresponds to {@code context}. */
    public Context context() {
        return context;
    }

    /**
     * {@return the channel that receives the queue's completion events; null if there is none} Corresponds to
     * {@code channel}.
     */
    public @Nullable CompletionChannel channel() {
        return attributes.channel();
    }

    /** {@return the object that the application attached to the queue, or null} Corresponds to {@code cq_context}. */
    public @Nullable Object userContext() {
        return attributes.userContext();
    }

    /** {@return the fields that the queue's completions contain} Corresponds to {@code wc_flags}. */
    public Set<CompletionField> fields() {
        return attributes.fields();
    }

    /**
     * {@return the maximum number of completions in the queue, at least the requested number} Corresponds to
     * {@code cqe}.
     */
    public int capacity() {
        return ops.capacity();
    }

    /**
     * Removes up to {@code max} completions, oldest first. Corresponds to {@code ibv_poll_cq}. {@link #startPoll} does
     * the same without allocation.
     *
     * @param max maximum number of completions; 0 only lets the device make progress
     * @return new records; an empty list if the queue is empty
     * @throws RdmaException EINVAL if {@code max} is negative or the queue is closed
     */
    public List<WorkCompletion> poll(int max) {
        Arguments.notNegative("num_entries", max);
        List<WorkCompletion> completions = new ArrayList<>(Math.min(max, 16));
        take(completions, max);
        return completions;
    }

    /**
     * Polls until there is a completion or the timeout has passed, with {@link WaitStrategy#YIELD}. The calling thread
     * uses a CPU during the wait. To sleep instead, use {@link WaitStrategy#PARK} or a {@link CompletionChannel}.
     *
     * @param max maximum number of completions, at least 1
     * @param timeout maximum time to wait
     * @return new records; an empty list after the timeout
     * @throws RdmaException EINVAL if {@code max} is below 1 or the queue is closed, also if that happens during the
     *     wait
     */
    public List<WorkCompletion> poll(int max, Duration timeout) {
        Arguments.range("num_entries", max, 1, Integer.MAX_VALUE);
        return pollBusily(max, Arguments.nanoseconds(timeout), true);
    }

    /**
     * Polls until there is a completion or the timeout has passed.
     *
     * <p>With {@link WaitStrategy#PARK} the thread sleeps until the device raises an event. The call requests that
     * event as {@link #requestNotification} does, so {@link #moderate moderation} delays it. A queue with a channel
     * or a completion handler raises its events only there, therefore PARK is rejected.
     *
     * @param max maximum number of completions, at least 1
     * @param timeout maximum time to wait
     * @param strategy behaviour of the thread during the wait
     * @return new records; an empty list after the timeout
     * @throws RdmaException EINVAL if {@code max} is below 1 or an argument is null, if the queue is closed before or
     *     during the wait, or for PARK if the queue has a channel or a completion
     *     handler
     * @throws InterruptedException if the thread was interrupted before or during its sleep; no completion is lost
     */
    public List<WorkCompletion> poll(int max, Duration timeout, WaitStrategy strategy) throws InterruptedException {
        Arguments.range("num_entries", max, 1, Integer.MAX_VALUE);
        long timeoutNs = Arguments.nanoseconds(timeout);
        Arguments.present("strategy", strategy);
        return switch (strategy) {
            case SPIN -> pollBusily(max, timeoutNs, false);
            case YIELD -> pollBusily(max, timeoutNs, true);
            case PARK -> pollAsleep(max, timeoutNs);
        };
    }

    private List<WorkCompletion> pollBusily(int max, long timeoutNs, boolean givesWay) {
        long startNs = System.nanoTime();
        List<WorkCompletion> completions = poll(max);
        while (completions.isEmpty() && System.nanoTime() - startNs < timeoutNs) {
            if (givesWay) {
                Cpu.giveWay();
            } else {
                Thread.onSpinWait();
            }
            take(completions, max);
        }
        return completions;
    }

    private List<WorkCompletion> pollAsleep(int max, long timeoutNs) throws InterruptedException {
        if (attributes.channel() != null || attributes.completionHandler() != null) {
            throw new RdmaException(Errno.EINVAL, this + " has a completion channel or handler, which gets its events");
        }
        long startNs = System.nanoTime();
        List<WorkCompletion> completions = poll(max);
        parked.getAndIncrement();
        try {
            long leftNs = timeoutNs;
            while (completions.isEmpty() && leftNs > 0) {
                if (!requestNotification(false)) {
                    wakeUps.poll(leftNs, context.ops());
                }
                take(completions, max);
                leftNs = timeoutNs - (System.nanoTime() - startNs);
            }
        } finally {
            if (parked.decrementAndGet() > 0) {
                // One event wakes one thread. Wake the next, because more completions may be queued.
                wakeUps.offer(this);
            }
        }
        return completions;
    }

    private void take(List<WorkCompletion> completions, int max) {
        try (CompletionCursor cursor = startPoll()) {
            while (completions.size() < max && cursor.next()) {
                completions.add(WorkCompletion.of(cursor));
            }
        }
    }

    /**
     * Begins a poll. The calling thread must close the cursor soon, because other polling threads spin meanwhile.
     * Corresponds to {@code ibv_start_poll}. Allocates nothing.
     *
     * @return the queue's only cursor, positioned before the first completion; this thread must close it
     * @throws RdmaException EINVAL if the queue is closed; EDEADLK if this thread is polling the queue already, for
     *     example in an event handler that runs within a poll; EBUSY in an event handler while another thread is
     *     polling the queue
     */
    public CompletionCursor startPoll() {
        life.checkOpen();
        return ops.startPoll();
    }

    /**
     * Requests one event on the channel for the next completion. Completions that are queued already raise no event.
     * Corresponds to {@code ibv_req_notify_cq}.
     *
     * <p>With a completion handler the library cannot see the application sleep. Therefore a thread of the device takes
     * over its progress at each request.
     *
     * @param solicitedOnly true to request the event only for a completion that the sender marked as solicited or that
     *     failed
     * @return true if completions are queued already: poll them before sleeping ({@code IB_CQ_REPORT_MISSED_EVENTS})
     * @throws RdmaException EINVAL if the queue is closed
     */
    public boolean requestNotification(boolean solicitedOnly) {
        life.checkOpen();
        boolean missed = ops.requestNotification(solicitedOnly);
        if (attributes.completionHandler() != null) {
            context.ops().beforeBlocking();
        }
        return missed;
    }

    /**
     * Requests one event on the channel when at least {@code completions} completions are queued, including those that
     * are queued already. A later call replaces the request. The request is independent of
     * {@link #requestNotification}. Corresponds to {@code ib_req_ncomp_notif}.
     *
     * @param completions {@code wc_cnt}: 1 to {@link #capacity}
     * @throws RdmaException EINVAL if {@code completions} is out of range or the queue is closed; EOPNOTSUPP if the
     *     device does not support it
     */
    public void requestNotificationAt(int completions) {
        life.checkOpen();
        context.admission().require(DeviceCapability.N_NOTIFY_CQ);
        Arguments.range("wc_cnt", completions, 1, capacity());
        ops.requestNotificationAt(completions);
    }

    /**
     * Moderates the events of {@link #requestNotification}. An event is raised after {@code count} completions or
     * {@code periodUs} microseconds after the previous event, whichever is first. The value 0 disables a condition;
     * with two zeros every requested event is raised at once. Corresponds to {@code ibv_modify_cq}.
     *
     * @param count number of completions: 16 bits
     * @param periodUs period in microseconds: 16 bits
     * @throws RdmaException EINVAL if a value is out of range or the queue is closed; EOPNOTSUPP if the device does not
     *     support it
     */
    public void moderate(int count, int periodUs) {
        life.checkUsable();
        Arguments.bits("cq_count", count, Short.SIZE);
        Arguments.bits("cq_period", periodUs, Short.SIZE);
        ops.moderate(count, periodUs);
    }

    /**
     * {@return the number of queued completions, at most {@code max}} Corresponds to {@code ib_peek_cq}.
     *
     * @param max upper bound of the result
     * @throws RdmaException EINVAL if {@code max} is negative or the queue is closed; EOPNOTSUPP if the device does not
     *     support it
     */
    public int peek(int max) {
        life.checkOpen();
        Arguments.notNegative("wc_cnt", max);
        return Math.min(max, ops.waiting());
    }

    /**
     * Changes the capacity to at least {@code entries} completions. The queue may be in use and contain completions.
     * Corresponds to {@code ibv_resize_cq}.
     *
     * @param entries {@code cqe}: 1 to {@code max_cqe}
     * @throws RdmaException EINVAL if {@code entries} is not in 1..{@code max_cqe} or below the number of queued
     *     completions, or if the application provided the queue's memory; EOPNOTSUPP if the device does not support it;
     *     EDEADLK if the calling thread is polling the queue
     */
    public void resize(int entries) {
        life.checkUsable();
        Arguments.range("cqe", entries, 1, context.queryDevice().limit(DeviceLimit.MAX_CQE));
        ops.resize(entries);
    }

    /**
     * Acknowledges completion events. Corresponds to {@code ibv_ack_cq_events}.
     *
     * @param count {@code nevents}: number of events of this queue that {@link CompletionChannel#getEvent} returned
     * @throws RdmaException EINVAL if fewer events are unacknowledged
     */
    public void acknowledgeEvents(int count) {
        completionEvents.acknowledge(count);
    }

    /** Counts one event as fetched from the channel; true if more events of this queue are pending. */
    boolean deliverEvent() {
        completionEvents.delivered();
        return pendingEvents.decrementAndGet() > 0;
    }

    EventCounter asyncEventCounter() {
        return asyncEventCounter;
    }

    Lifecycle life() {
        return life;
    }

    CqOps ops() {
        return ops;
    }

    /**
     * Destroys the queue and its completions. Idempotent. Corresponds to {@code ibv_destroy_cq}, which waits for
     * acknowledgements instead of throwing.
     *
     * @throws RdmaException EBUSY while a queue pair uses the queue or events are unacknowledged
     */
    @Override
    public void close() {
        completionEvents.checkAcknowledged(life.name());
        asyncEventCounter.checkAcknowledged(life.name());
        if (life.close()) {
            wakeUps.wakeAll();
            ops.close();
            context.asyncEvents().queue().removeIf(event -> event.completionQueue() == this);
            CompletionChannel channel = attributes.channel();
            if (channel != null) {
                channel.remove(this);
                channel.life().release(ObjectKind.COMPLETION_QUEUE);
            }
            context.admission().destroyed(ObjectKind.COMPLETION_QUEUE, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
