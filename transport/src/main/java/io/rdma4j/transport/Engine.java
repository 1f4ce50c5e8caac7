// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.common.EngineCore;
import io.rdma4j.transport.common.QpControl;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;

/**
 * Executes the work of a queue pair, called by the loop of a device: by one thread at a time, except for
 * {@link #state()}, which any thread may read. The caller passes the time.
 *
 * <p>This class holds what all queue pairs have in common: number, attributes, and life cycle (IBA 10.3).
 */
public abstract class Engine {
    private final EngineCore core;

    private QpAttributes attributes = QpAttributes.builder().build();

    Engine(EngineCore core) {
        this.core = core;
        core.control(new Control());
    }

    /** Lets the parts of the queue pair change its state; not for other callers. */
    private final class Control implements QpControl {
        @Override
        public void enterError() {
            Engine.this.enterError();
        }

        @Override
        public void enterSendError() {
            Engine.this.enterSendError();
        }

        @Override
        public void onRequestsCompleted() {
            Engine.this.onRequestsCompleted();
        }

        @Override
        public void takeAlternatePath() {
            Engine.this.takeAlternatePath();
        }
    }

    final EngineCore core() {
        return core;
    }

    /** {@return the number of the queue pair, 24 bits} */
    public final int qpn() {
        return core.qpn();
    }

    /** {@return current state; thread-safe} */
    public final QpState state() {
        return core.state();
    }

    final QpAttributes attributes() {
        return attributes;
    }

    /**
     * Rejects changes that the verbs core could not detect as invalid: packets and timers may have changed the state
     * since its check.
     *
     * @param changes attributes to be changed
     * @throws RdmaException EINVAL if the queue pair is in ERR and the changes do not take it to RESET or ERR
     */
    public void check(QpAttributes changes) {
        if (state() == QpState.ERR && !endsWork(changes)) {
            throw new RdmaException(
                    Errno.EINVAL, "queue pair " + qpn() + " went to ERR meanwhile: only RESET and ERR are left");
        }
    }

    /**
     * {@return true if the queue pair is to go to RESET or ERR, which every state allows}
     *
     * @param changes attributes to be changed
     */
    public static boolean endsWork(QpAttributes changes) {
        return changes.has(QpAttribute.STATE) && (changes.state() == QpState.RESET || changes.state() == QpState.ERR);
    }

    /**
     * Changes attributes and state ({@code ibv_modify_qp}), after the verbs core and {@link #check} have accepted the
     * change.
     *
     * @param changes attributes to be changed
     */
    public final void modify(QpAttributes changes) {
        change(changes);
        if (changes.has(QpAttribute.STATE)) {
            switch (changes.state()) {
                case RESET -> {
                    core.become(QpState.RESET);
                    attributes = QpAttributes.builder().build();
                    core.reset();
                    forget();
                }
                case ERR -> enterError();
                default -> {
                    core.become(changes.state());
                    onRequestsCompleted();
                }
            }
        }
    }

    /** Applies attributes set by the application or by the engine; the state stays. */
    final void change(QpAttributes changes) {
        attributes = attributes.with(changes);
        apply(changes);
    }

    /**
     * Ends all work: what is posted now or later is flushed, and only a NAK that is already pending is still sent (IBA
     * 10.3.1.7).
     */
    final void enterError() {
        if (state() != QpState.ERR) {
            core.become(QpState.ERR);
            onError();
            flushSends();
            flushReceives();
            onFlushed();
        }
    }

    /**
     * Handles that a send of an unreliable service failed: no more are sent, but packets are still received (IBA
     * 10.3.1.6).
     */
    final void enterSendError() {
        if (core.sendsRequests()) {
            core.become(QpState.SQE);
            flushSends();
        }
    }

    /** Flushes what was posted since the queue pair entered its state, if that is one of the error states. */
    final void flush() {
        QpState state = state();
        if (state == QpState.ERR || state == QpState.SQE) {
            flushSends();
        }
        if (state() == QpState.ERR) {
            flushReceives();
        }
    }

    /** Handles that attributes were set. */
    void apply(QpAttributes changes) {}

    /** Discards all work without completing it; the queue pair is in RESET. */
    abstract void forget();

    /** Cancels all waiting; the queue pair is in ERR. */
    void onError() {}

    /** Completes everything posted to the send queue with a flush error. */
    abstract void flushSends();

    /** Completes every receive of the queue pair's own receive queue with a flush error. */
    abstract void flushReceives();

    /** Handles that all that was posted before ERR is flushed; no more receives are taken from a shared queue. */
    void onFlushed() {}

    /** Handles that requests may have left the send queue, or that the state has changed. */
    void onRequestsCompleted() {}

    /** Handles that a connection migrates to its alternate path; an engine without connections has none. */
    void takeAlternatePath() {
        throw new IllegalStateException("queue pair " + qpn() + " has no alternate path");
    }

    /** {@return all current attributes ({@code ibv_query_qp})} */
    public QpAttributes query() {
        QpState state = state();
        return attributes.toBuilder().state(state).currentState(state).build();
    }

    /**
     * Ends the oldest request of the send queue with {@code status} and flushes all others: the queue pair cannot
     * continue.
     *
     * @param status FATAL_ERR if the device has failed, LOC_PROT_ERR if memory that the queue pair uses cannot be
     *     accessed
     */
    public abstract void breakDown(WcStatus status);

    /**
     * Handles the deadlines that have passed.
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
