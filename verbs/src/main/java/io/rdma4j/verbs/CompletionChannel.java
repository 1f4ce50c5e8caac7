package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where threads sleep until a completion queue has something. Answers to {@code struct ibv_comp_channel}.
 *
 * <p>The loop: {@link CompletionQueue#requestNotification}, poll once more since what came before gives no event,
 * {@link #getEvent}, {@link CompletionQueue#acknowledgeEvents}, again. Any thread may call, virtual ones as well. The
 * caller of {@link Context#createCompletionChannel} closes it, after the queues that use it.
 *
 * {@snippet :
 * List<WorkCompletion> done = cq.poll(16);
 * while (done.isEmpty()) {
 *     if (!cq.requestNotification(false)) {   // nothing waits: there will be an event
 *         channel.getEvent().acknowledgeEvents(1);
 *     }
 *     done = cq.poll(16);
 * }
 * }
 */
public final class CompletionChannel implements AutoCloseable {
    private final Context context;
    private final Lifecycle life;

    /** Who waits for this channel among others; one at most, as no more is needed. */
    private volatile @Nullable CompletionSelector selector;

    /** A queue is in it once, however many events it has pending, so it is as long as there are queues. */
    private final EventQueue<CompletionQueue> pending;

    CompletionChannel(Context context, int handle) {
        this.context = context;
        this.life = new Lifecycle(ObjectKind.COMPLETION_CHANNEL + " " + handle, context.life());
        this.pending = new EventQueue<>(life, Integer.MAX_VALUE);
    }

    /** {@return the context it was made from} Answers to {@code context}. */
    public Context context() {
        return context;
    }

    /**
     * Waits for an event; each one fetched must be acknowledged. Answers to {@code ibv_get_cq_event}.
     *
     * @return the queue it is about
     * @throws RdmaException EINVAL if the channel is closed, even while waiting
     * @throws InterruptedException if the thread was interrupted before an event came; none is lost
     */
    public CompletionQueue getEvent() throws InterruptedException {
        return delivered(pending.take(context.ops()));
    }

    /**
     * As {@link #getEvent()}; null when the time is over. With a zero timeout it does not wait.
     *
     * @param timeout how long to wait at most; zero only looks
     * @return the queue that it is about, or null
     * @throws InterruptedException if the thread was interrupted before an event came; none is lost
     * @throws RdmaException EINVAL if the channel is closed, even while waiting
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

    /** The first event of a queue is pending. */
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

    /** A thread is about to sleep until an event comes. */
    void beforeSleep() {
        context.ops().beforeBlocking();
    }

    /**
     * Tells {@code next} of events from now on; null to end that.
     *
     * @throws RdmaException EBUSY if another selector waits for them
     */
    synchronized void observe(@Nullable CompletionSelector next) {
        if (next != null && selector != null) {
            throw new RdmaException(Errno.EBUSY, this + " is in another selector");
        }
        selector = next;
    }

    /** A queue goes away. */
    void remove(CompletionQueue queue) {
        pending.removeIf(queue::equals);
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Destroys the channel; threads that wait on it get EINVAL. Idempotent. Answers to {@code ibv_destroy_comp_channel}.
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
