package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** How a work request ended; {@link #code} is the number of {@code enum ibv_wc_status}, {@link #text} what {@code ibv_wc_status_str} says. */
public enum WcStatus {
    /** {@code IBV_WC_SUCCESS}: done as asked. */
    SUCCESS("success"),
    /**
     * {@code IBV_WC_LOC_LEN_ERR}: a message is longer than the receive request's memory, than the path MTU for a
     * datagram, or than the port allows.
     */
    LOC_LEN_ERR("local length error"),
    /**
     * {@code IBV_WC_LOC_QP_OP_ERR}: the request makes no sense to the device: an operation that the type does not have,
     * too many pieces, a path that leads nowhere.
     */
    LOC_QP_OP_ERR("local QP operation error"),
    /** {@code IBV_WC_LOC_EEC_OP_ERR}: the same of an end-to-end context. Reliable datagrams only: never raised here. */
    LOC_EEC_OP_ERR("local EE context operation error"),
    /**
     * {@code IBV_WC_LOC_PROT_ERR}: the memory that the request names is not registered in this domain, or not for what
     * is done with it.
     */
    LOC_PROT_ERR("local protection error"),
    /**
     * {@code IBV_WC_WR_FLUSH_ERR}: not done, since the queue pair went to ERR (or SQE, for sends) before its turn came.
     */
    WR_FLUSH_ERR("Work Request Flushed Error"),
    /** {@code IBV_WC_MW_BIND_ERR}: a binding, registration or invalidation of a key was refused. */
    MW_BIND_ERR("memory management operation error"),
    /** {@code IBV_WC_BAD_RESP_ERR}: the peer's answer is not one to what was asked, or of another length. */
    BAD_RESP_ERR("bad response error"),
    /**
     * {@code IBV_WC_LOC_ACCESS_ERR}: of a receive request: the peer's RDMA WRITE with immediate data broke the rights
     * of memory here.
     */
    LOC_ACCESS_ERR("local access error"),
    /**
     * {@code IBV_WC_REM_INV_REQ_ERR}: the peer says that the request is invalid: it does not serve the operation, or
     * the message is longer than its receive request. Of a receive request: the key that was to be invalidated is none
     * that may be.
     */
    REM_INV_REQ_ERR("remote invalid request error"),
    /** {@code IBV_WC_REM_ACCESS_ERR}: the peer says that key, range or rights do not fit. */
    REM_ACCESS_ERR("remote access error"),
    /**
     * {@code IBV_WC_REM_OP_ERR}: the peer could not do it, by a fault of its own side such as a broken receive request.
     */
    REM_OP_ERR("remote operation error"),
    /**
     * {@code IBV_WC_RETRY_EXC_ERR}: no answer came, {@link QpAttributes#retryCount} times in a row. What a wrong
     * address or QPN at the peer looks like, too.
     */
    RETRY_EXC_ERR("transport retry counter exceeded"),
    /**
     * {@code IBV_WC_RNR_RETRY_EXC_ERR}: the peer had no receive request posted, {@link QpAttributes#rnrRetry} times in
     * a row.
     */
    RNR_RETRY_EXC_ERR("RNR retry counter exceeded"),
    /**
     * {@code IBV_WC_LOC_RDD_VIOL_ERR}: queue pair and end-to-end context are of different domains. Reliable datagrams
     * only: never raised here.
     */
    LOC_RDD_VIOL_ERR("local RDD violation error"),
    /** {@code IBV_WC_REM_INV_RD_REQ_ERR}: the peer refused a reliable datagram. Never raised here. */
    REM_INV_RD_REQ_ERR("remote invalid RD request"),
    /** {@code IBV_WC_REM_ABORT_ERR}: the peer aborted the operation. Reliable datagrams only: never raised here. */
    REM_ABORT_ERR("aborted error"),
    /**
     * {@code IBV_WC_INV_EECN_ERR}: there is no end-to-end context of this number. Reliable datagrams only: never raised
     * here.
     */
    INV_EECN_ERR("invalid EE context number"),
    /**
     * {@code IBV_WC_INV_EEC_STATE_ERR}: the end-to-end context is in the wrong state. Reliable datagrams only: never
     * raised here.
     */
    INV_EEC_STATE_ERR("invalid EE context state"),
    /** {@code IBV_WC_FATAL_ERR}: the device broke down with this request under way; all others are flushed. */
    FATAL_ERR("fatal error"),
    /**
     * {@code IBV_WC_RESP_TIMEOUT_ERR}: a response did not come in time. Never raised here, where that is
     * {@link #RETRY_EXC_ERR}.
     */
    RESP_TIMEOUT_ERR("response timeout error"),
    /** {@code IBV_WC_GENERAL_ERR}: anything else that went wrong in an adapter. Never raised here. */
    GENERAL_ERR("general error"),
    /** {@code IBV_WC_TM_ERR}: an operation on a list of tags failed; tag matching is not served here. */
    TM_ERR("TM error"),
    /** {@code IBV_WC_TM_RNDV_INCOMPLETE}: software must finish a rendezvous; tag matching is not served here. */
    TM_RNDV_INCOMPLETE("TM software rendezvous");

    private static final WcStatus[] BY_CODE = values();

    private final String text;

    WcStatus(String text) {
        this.text = text;
    }

    /** {@return the number in {@code enum ibv_wc_status}} */
    public int code() {
        return ordinal();
    }

    /** {@return the text that the C library prints} */
    public String text() {
        return text;
    }

    /**
     * {@return the status of a number of {@code enum ibv_wc_status}}
     *
     * @param code 0 for {@code IBV_WC_SUCCESS} and so on
     * @throws RdmaException EINVAL if no status has this number
     */
    public static WcStatus ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new RdmaException(
                    Errno.EINVAL, "completion status " + code + " is not in 0.." + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
