package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;

/**
 * What carries out the work of a queue pair, as the loop of a device drives it: one thread at a time, except for
 * {@link #state()}, which any thread may read. Time comes from outside.
 */
public sealed interface Engine permits QpEngine, RawEngine {
    /** 24-bit number of the queue pair. */
    int qpn();

    /** Current state; any thread may ask. */
    QpState state();

    /**
     * Refuses what the verbs core could not know to be wrong: packets and timers may have moved the queue pair on since it looked.
     *
     * @throws RdmaException EINVAL if the queue pair is in ERR and shall not leave it
     */
    default void check(QpAttributes changes) {
        if (state() == QpState.ERR && !endsWork(changes)) {
            throw new RdmaException(
                    Errno.EINVAL, "queue pair " + qpn() + " went to ERR meanwhile: only RESET and ERR are left");
        }
    }

    /** True if the queue pair is to go to RESET or ERR, as it may from everywhere. */
    static boolean endsWork(QpAttributes changes) {
        return changes.has(QpAttribute.STATE) && (changes.state() == QpState.RESET || changes.state() == QpState.ERR);
    }

    /**
     * Changes attributes and state ({@code ibv_modify_qp}), after the verbs core and {@link #check} have found that it may.
     *
     * @param nowNs now
     */
    void modify(QpAttributes changes, long nowNs);

    /** All attributes as they are now ({@code ibv_query_qp}). */
    QpAttributes query();

    /** The device can do no more: the oldest request of the send queue ends with FATAL_ERR, all else is flushed. */
    void breakDown();

    /** A deadline may have come. */
    void onTimeout(long nowNs);

    /** When {@link #onTimeout} must be called, or {@link io.rdma4j.base.Deadline#NEVER}; changes with every other call. */
    long nextDeadlineNs();

    /**
     * Sends what is due, up to {@code budget} packets (a little more if a train is whole). Allocates nothing.
     *
     * @return true if the budget was used up: there may be more to send now
     */
    boolean pollTransmit(long nowNs, int budget);
}
