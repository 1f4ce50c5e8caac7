package io.rdma4j.verbs;

import io.rdma4j.base.Cpu;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Holds completions until the program polls them. Answers to {@code struct ibv_cq}.
 *
 * <p>Any thread may call; pollers take turns. Must be polled often enough: when it overruns it is broken and
 * {@link EventType#CQ_ERR} is raised. The caller of {@link Context#createCq} closes it, after the queue pairs that use it.
 *
 * {@snippet :
 * for (WorkCompletion completion : cq.poll(16)) {
 *     if (completion.status() != WcStatus.SUCCESS) {
 *         throw new IllegalStateException("request " + completion.wrId() + ": " + completion.status().text());
 *     }
 * }
 * try (CompletionCursor cursor = cq.startPoll()) {   // the same without allocating
 *     while (cursor.next()) {
 *         System.out.println(cursor.wrId() + " " + cursor.status());
 *     }
 * }
 * }
 */
public final class CompletionQueue implements AutoCloseable {
    private final Context context;
    private final CqInitAttributes attributes;
    private final Lifecycle life;
    private final EventCounter completionEvents = new EventCounter("completion events");
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");

    /** Events raised and not fetched; the queue is in its channel while there are any. */
    private final AtomicInteger pendingEvents = new AtomicInteger();

    /** Those that sleep in {@link #poll(int, Duration, WaitStrategy)}; one event wakes one of them. */
    private final AtomicInteger parked = new AtomicInteger();

    private final EventQueue<CompletionQueue> wakeUps;
    private final CqOps ops;

    CompletionQueue(Context context, int handle, CqInitAttributes attributes, ContextOps contextOps) {
        this.context = context;
        this.attributes = attributes;
        this.life = new Lifecycle(ObjectKind.COMPLETION_QUEUE + " " + handle, context.life());
        this.wakeUps = new EventQueue<>(life, 1);
        Events events = new Events();
        this.ops = attributes.buffer() == null
                ? contextOps.createCq(attributes, events)
                : contextOps.createCqInBuffer(attributes, events);
    }

    private final class Events implements CqEvents {
        @Override
        public void completion() {
            CompletionChannel channel = attributes.channel();
            if (channel == null) {
                wakeUps.offer(CompletionQueue.this);
            } else if (pendingEvents.getAndIncrement() == 0) {
                channel.add(CompletionQueue.this);
            }
        }

        @Override
        public void error() {
            AsyncEvent event = AsyncEvent.of(EventType.CQ_ERR, CompletionQueue.this);
            context.asyncEvents().dispatch(event, attributes.eventHandler());
        }
    }

    /** {@return the context it was made from} Answers to {@code context}. */
    public Context context() {
        return context;
    }

    /** {@return where its events go, if anywhere} Answers to {@code channel}. */
    public @Nullable CompletionChannel channel() {
        return attributes.channel();
    }

    /** {@return what the program attached to it} Answers to {@code cq_context}. */
    public @Nullable Object userContext() {
        return attributes.userContext();
    }

    /** {@return what its completions carry} Answers to {@code wc_flags}. */
    public Set<CompletionField> fields() {
        return attributes.fields();
    }

    /** {@return completions it holds, at least what was asked for} Answers to {@code cqe}. */
    public int capacity() {
        return ops.capacity();
    }

    /**
     * Takes up to {@code max} completions, oldest first. Answers to {@code ibv_poll_cq}; {@link #startPoll} does the same
     * without allocating.
     *
     * @param max completions at most; 0 only lets the device work
     * @return new records, none if the queue is empty
     * @throws RdmaException EINVAL if {@code max} is negative or the queue is closed
     */
    public List<WorkCompletion> poll(int max) {
        Arguments.notNegative("num_entries", max);
        List<WorkCompletion> completions = new ArrayList<>(Math.min(max, 16));
        take(completions, max);
        return completions;
    }

    /**
     * As {@link #poll(int)}, again and again until there is something or the time is over, by {@link WaitStrategy#YIELD}. Keeps a CPU busy, as
     * whoever polls does; whoever would rather sleep takes {@link WaitStrategy#PARK} or waits at a {@link CompletionChannel}.
     *
     * @param max completions at most, at least 1
     * @param timeout how long to wait at most
     * @return new records, none if nothing has completed in time
     * @throws RdmaException EINVAL if {@code max} is below 1 or the queue is closed, even while waiting
     */
    public List<WorkCompletion> poll(int max, Duration timeout) {
        Arguments.range("num_entries", max, 1, Integer.MAX_VALUE);
        return pollBusily(max, Arguments.nanoseconds(timeout), true);
    }

    /**
     * As {@link #poll(int)}, again and again until there is something or the time is over.
     *
     * <p>{@link WaitStrategy#PARK} sleeps until the device raises an event, for which it asks as {@link #requestNotification} does; events that are
     * {@link #moderate moderated} are late for it, too. A queue with a channel raises its events there, and nowhere else.
     *
     * @param max completions at most, at least 1
     * @param timeout how long to wait at most
     * @param strategy what to do meanwhile
     * @return new records, none if nothing has completed in time
     * @throws RdmaException EINVAL if {@code max} is below 1, an argument is null, or the queue is closed, even while waiting, or for PARK if it
     *     has a channel
     * @throws InterruptedException if the thread was interrupted before it slept, or while it did; no completion is lost
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
        if (attributes.channel() != null) {
            throw new RdmaException(
                    Errno.EINVAL, this + " has a completion channel, which gets its events: threads sleep there");
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
                // One event has woken this one only, and there may be something for the others as well.
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
     * Begins a poll; the calling thread must close the cursor soon, since others spin meanwhile. Answers to
     * {@code ibv_start_poll}. Allocates nothing.
     *
     * @return the queue's one cursor, before the first completion; to be closed by this thread
     * @throws RdmaException EINVAL if the queue is closed; EDEADLK if this thread is polling it already, as in an event handler that runs within a
     *     poll of its thread
     */
    public CompletionCursor startPoll() {
        life.checkOpen();
        return ops.startPoll();
    }

    /**
     * Asks for one event on the channel at the next completion; completions that are there already give none. Answers to
     * {@code ibv_req_notify_cq}.
     *
     * @param solicitedOnly wait for a completion that the sender marked as solicited, or that failed
     * @return true if completions wait already: poll them before sleeping ({@code IB_CQ_REPORT_MISSED_EVENTS})
     * @throws RdmaException EINVAL if the queue is closed
     */
    public boolean requestNotification(boolean solicitedOnly) {
        life.checkOpen();
        return ops.requestNotification(solicitedOnly);
    }

    /**
     * Asks for one event on the channel once at least {@code completions} wait, those that do already included; another request
     * takes its place, and {@link #requestNotification} stands beside it. Answers to {@code ib_req_ncomp_notif}.
     *
     * @param completions {@code wc_cnt}: 1 to {@link #capacity}
     * @throws RdmaException EINVAL if the queue cannot hold so many or is closed; EOPNOTSUPP if the device cannot
     */
    public void requestNotificationAt(int completions) {
        life.checkOpen();
        context.admission().require(DeviceCapability.N_NOTIFY_CQ);
        Arguments.range("wc_cnt", completions, 1, capacity());
        ops.requestNotificationAt(completions);
    }

    /**
     * Moderates the events of {@link #requestNotification}: one comes after {@code count} completions, or {@code periodUs}
     * microseconds after the one before, whichever is first. 0 takes a rule away; with two zeros events come at once. Answers to
     * {@code ibv_modify_cq}.
     *
     * @param count 16 bits
     * @param periodUs 16 bits
     * @throws RdmaException EINVAL if either is out of range or the queue is closed; EOPNOTSUPP if the device cannot
     */
    public void moderate(int count, int periodUs) {
        life.checkUsable();
        Arguments.bits("cq_count", count, Short.SIZE);
        Arguments.bits("cq_period", periodUs, Short.SIZE);
        ops.moderate(count, periodUs);
    }

    /**
     * {@return how many completions wait, but no more than {@code max}} Answers to {@code ib_peek_cq}.
     *
     * @param max where to stop counting
     * @throws RdmaException EINVAL if {@code max} is negative or the queue is closed; EOPNOTSUPP if the device cannot say
     */
    public int peek(int max) {
        life.checkOpen();
        Arguments.notNegative("wc_cnt", max);
        return Math.min(max, ops.waiting());
    }

    /**
     * Makes it hold at least {@code entries} completions, while it is in use and holds some; not by a thread that is polling
     * it. Answers to {@code ibv_resize_cq}.
     *
     * @param entries {@code cqe}: 1 to {@code max_cqe}
     * @throws RdmaException EINVAL if it is not in 1..{@code max_cqe} or below the number of completions that wait, or the
     *     memory is the program's; EOPNOTSUPP if the device cannot; EDEADLK if this thread is polling the queue
     */
    public void resize(int entries) {
        life.checkUsable();
        Arguments.range("cqe", entries, 1, context.queryDevice().limit(DeviceLimit.MAX_CQE));
        ops.resize(entries);
    }

    /**
     * The program has dealt with events it got from the channel. Answers to {@code ibv_ack_cq_events}.
     *
     * @param count {@code nevents}: how many of those that {@link CompletionChannel#getEvent} returned for it
     * @throws RdmaException EINVAL if fewer were delivered
     */
    public void acknowledgeEvents(int count) {
        completionEvents.acknowledge(count);
    }

    /** The channel hands out one event of this queue; true if more are pending. */
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
     * Destroys it and what it holds. Idempotent. Answers to {@code ibv_destroy_cq}, which waits for acknowledgements where
     * this refuses.
     *
     * @throws RdmaException EBUSY while a queue pair uses it or events are not acknowledged
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
