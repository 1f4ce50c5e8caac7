package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WcStatus;

/**
 * What carries out the work of a queue pair, as the loop of a device drives it: one thread at a time, except for
 * {@link #state()}, which any thread may read. Time comes from outside.
 *
 * <p>Here is what all queue pairs have in common: their number, their attributes, and their life cycle (IBA 10.3).
 */
public abstract sealed class Engine permits QpEngine, RawEngine {
    private final int qpn;
    private final TransportContext context;
    private final CompletionPoster poster;

    private volatile QpState state = QpState.RESET;
    private QpAttributes attributes = QpAttributes.builder().build();

    Engine(int qpn, TransportContext context, PacketPort port) {
        this.qpn = qpn;
        this.context = context;
        this.poster = new CompletionPoster(context, qpn, port);
    }

    /** {@return the number of the queue pair, 24 bits} */
    public final int qpn() {
        return qpn;
    }

    /** {@return current state; any thread may ask} */
    public final QpState state() {
        return state;
    }

    final TransportContext context() {
        return context;
    }

    final CompletionPoster poster() {
        return poster;
    }

    final QpAttributes attributes() {
        return attributes;
    }

    /**
     * Refuses what the verbs core could not know to be wrong: packets and timers may have moved the queue pair on since it looked.
     *
     * @param changes what shall be different
     * @throws RdmaException EINVAL if the queue pair is in ERR and shall not leave it
     */
    public void check(QpAttributes changes) {
        if (state == QpState.ERR && !endsWork(changes)) {
            throw new RdmaException(
                    Errno.EINVAL, "queue pair " + qpn + " went to ERR meanwhile: only RESET and ERR are left");
        }
    }

    /**
     * {@return true if the queue pair is to go to RESET or ERR, as it may from everywhere}
     *
     * @param changes what shall be different
     */
    public static boolean endsWork(QpAttributes changes) {
        return changes.has(QpAttribute.STATE) && (changes.state() == QpState.RESET || changes.state() == QpState.ERR);
    }

    /**
     * Changes attributes and state ({@code ibv_modify_qp}), after the verbs core and {@link #check} have found that it may.
     *
     * @param changes what shall be different
     */
    public final void modify(QpAttributes changes) {
        change(changes);
        if (changes.has(QpAttribute.STATE)) {
            switch (changes.state()) {
                case RESET -> {
                    become(QpState.RESET);
                    attributes = QpAttributes.builder().build();
                    poster.reset();
                    forget();
                }
                case ERR -> enterError();
                default -> {
                    become(changes.state());
                    onRequestsCompleted();
                }
            }
        }
    }

    /** Takes over attributes, whoever sets them; the state stays. */
    final void change(QpAttributes changes) {
        attributes = attributes.with(changes);
        apply(changes);
    }

    private void become(QpState next) {
        context.trace().state(qpn, state, next);
        state = next;
    }

    /**
     * Ends all work: what is posted now or later is flushed, and nothing is sent but a NAK that is owed already (IBA 10.3.1.7).
     */
    final void enterError() {
        if (state != QpState.ERR) {
            become(QpState.ERR);
            onError();
            flushSends();
            flushReceives();
            onFlushed();
        }
    }

    /** A send of an unreliable service could not be carried out: no more are sent, but all is still received (IBA 10.3.1.6). */
    final void enterSendError() {
        if (sendsRequests()) {
            become(QpState.SQE);
            flushSends();
        }
    }

    /** Flushes what was posted since the queue pair came into its state, if that is one of the error states. */
    final void flush() {
        if (state == QpState.ERR || state == QpState.SQE) {
            flushSends();
        }
        if (state == QpState.ERR) {
            flushReceives();
        }
    }

    /** True in the states in which requests are sent and answers to them mean something. */
    final boolean sendsRequests() {
        return state == QpState.RTS || state == QpState.SQD;
    }

    /** True if new requests may be begun; a draining queue finishes those it has begun only (IBA 10.3.1.5). */
    final boolean startsRequests() {
        return state == QpState.RTS;
    }

    /** Attributes were set. */
    void apply(QpAttributes changes) {}

    /** The queue pair is in RESET: forgets all work, without completing it. */
    abstract void forget();

    /** The queue pair is in ERR: waits for nothing any more. */
    void onError() {}

    /** Completes everything posted to the send queue with a flush error. */
    abstract void flushSends();

    /** Completes every receive that is this queue pair's alone with a flush error. */
    abstract void flushReceives();

    /** All that was posted before the queue pair came into ERR is flushed; nothing is taken from a shared queue any more. */
    void onFlushed() {}

    /** Requests may have left the send queue, or the state is a new one. */
    void onRequestsCompleted() {}

    /** {@return all attributes as they are now ({@code ibv_query_qp})} */
    public QpAttributes query() {
        return attributes.toBuilder().state(state).currentState(state).build();
    }

    /**
     * The queue pair can do no more: the oldest request of the send queue ends with {@code status}, all else is flushed.
     *
     * @param status FATAL_ERR if the device has failed, LOC_PROT_ERR if memory that the queue pair uses cannot be accessed
     */
    public abstract void breakDown(WcStatus status);

    /**
     * A deadline may have come.
     *
     * @param nowNs of the port's clock
     */
    public abstract void onTimeout(long nowNs);

    /**
     * {@return when {@link #onTimeout} must be called, or {@link io.rdma4j.base.Deadline#NEVER}; changes with every
     * other call}
     */
    public abstract long nextDeadlineNs();

    /**
     * Sends what is due, up to {@code budget} packets (a little more if a train is whole). Allocates nothing.
     *
     * @param nowNs of the port's clock
     * @param budget packets
     * @return true if the budget was used up: there may be more to send now
     */
    public abstract boolean pollTransmit(long nowNs, int budget);
}
