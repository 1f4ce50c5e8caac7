// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** States of a queue pair (IBA 10.3.1); {@link #code} is the number of {@code enum ibv_qp_state}. */
public enum QpState {
    /** Reset: no request can be posted, arriving packets are dropped. */
    RESET,
    /** Initialized: receives can be posted, arriving packets are dropped. */
    INIT,
    /** Ready to receive. */
    RTR,
    /** Ready to send. */
    RTS,
    /** Send queue drained: started requests are completed, new sends wait. */
    SQD,
    /** Send queue error: a send of an unreliable queue pair failed; the queue pair still receives. */
    SQE,
    /** Error: all work requests are flushed. */
    ERR;

    private static final QpState[] BY_CODE = values();

    /** {@return the number in {@code enum ibv_qp_state}} */
    public int code() {
        return ordinal();
    }

    /** {@return true if receive requests can be posted: in all states but RESET (IBA 10.3.1)} */
    public boolean acceptsReceives() {
        return this != RESET;
    }

    /** {@return true if send requests can be posted: in RTS and SQD, and in SQE and ERR, which flush them} */
    public boolean acceptsSends() {
        return compareTo(RTS) >= 0;
    }

    /** {@return true if arriving request packets are executed} */
    public boolean servesRequests() {
        return this != RESET && this != INIT && this != ERR;
    }

    /**
     * {@return the state of a number of {@code enum ibv_qp_state}}
     *
     * @param code 0 for {@code IBV_QPS_RESET} and so on
     * @throws RdmaException EINVAL for an undefined number
     */
    public static QpState ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new RdmaException(Errno.EINVAL, "queue pair state " + code + " is not in 0.." + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
