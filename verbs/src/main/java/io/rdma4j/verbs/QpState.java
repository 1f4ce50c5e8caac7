package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Life cycle of a queue pair (IBA 10.3.1); {@link #code} is the number of {@code enum ibv_qp_state}. */
public enum QpState {
    /** Resources exist; nothing can be posted, nothing is received. */
    RESET,
    /** Receives may be posted; arriving packets are dropped. */
    INIT,
    /** Ready to receive. */
    RTR,
    /** Ready to send. */
    RTS,
    /** Send queue drained: what was begun is finished, new sends wait. */
    SQD,
    /** Send queue error: an unreliable queue pair failed a send; it still receives. */
    SQE,
    /** All work requests are flushed. */
    ERR;

    private static final QpState[] BY_CODE = values();

    /** {@return the number in {@code enum ibv_qp_state}} */
    public int code() {
        return ordinal();
    }

    /** {@return true where receive requests may be posted: everywhere but in RESET (IBA 10.3.1)} */
    public boolean acceptsReceives() {
        return this != RESET;
    }

    /** {@return true where send requests may be posted: from RTS on; ERR and SQE take them and flush them} */
    public boolean acceptsSends() {
        return compareTo(RTS) >= 0;
    }

    /** {@return true where arriving request packets are served} */
    public boolean servesRequests() {
        return this != RESET && this != INIT && this != ERR;
    }

    /**
     * {@return the state of a number of {@code enum ibv_qp_state}}
     *
     * @param code 0 for {@code IBV_QPS_RESET} and so on
     * @throws RdmaException EINVAL if no state has this number
     */
    public static QpState ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new RdmaException(Errno.EINVAL, "queue pair state " + code + " is not in 0.." + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
