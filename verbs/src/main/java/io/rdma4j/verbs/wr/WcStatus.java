// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Result of a work request. {@link #code} is the number of {@code enum ibv_wc_status}, {@link #text} the text of
 * {@code ibv_wc_status_str}.
 */
public enum WcStatus {
    /** {@code IBV_WC_SUCCESS}: the request was executed. */
    SUCCESS("success"),
    /**
     * {@code IBV_WC_LOC_LEN_ERR}: a message is longer than the receive request's memory, than the path MTU for a
     * datagram, or than the port allows.
     */
    LOC_LEN_ERR("local length error"),
    /**
     * {@code IBV_WC_LOC_QP_OP_ERR}: the device cannot execute the request: an operation that the type does not have,
     * too many scatter/gather elements, an invalid path.
     */
    LOC_QP_OP_ERR("local QP operation error"),
    /**
     * {@code IBV_WC_LOC_EEC_OP_ERR}: as {@link #LOC_QP_OP_ERR}, for an end-to-end context. Reliable datagrams only:
     * never raised here.
     */
    LOC_EEC_OP_ERR("local EE context operation error"),
    /**
     * {@code IBV_WC_LOC_PROT_ERR}: the memory of the request is not registered in this protection domain, or lacks the
     * required access rights.
     */
    LOC_PROT_ERR("local protection error"),
    /** {@code IBV_WC_WR_FLUSH_ERR}: the queue pair entered ERR (or SQE, for sends) before the request was executed. */
    WR_FLUSH_ERR("Work Request Flushed Error"),
    /** {@code IBV_WC_MW_BIND_ERR}: a binding, registration or invalidation of a key was rejected. */
    MW_BIND_ERR("memory management operation error"),
    /** {@code IBV_WC_BAD_RESP_ERR}: the peer's response does not match the request, or has another length. */
    BAD_RESP_ERR("bad response error"),
    /**
     * {@code IBV_WC_LOC_ACCESS_ERR}: for a receive request: the peer's RDMA WRITE with immediate data violated the
     * access rights of local memory.
     */
    LOC_ACCESS_ERR("local access error"),
    /**
     * {@code IBV_WC_REM_INV_REQ_ERR}: the peer rejected the request as invalid: it does not support the operation, or
     * the message is longer than its receive request. For a receive request: the key to invalidate may not be
     * invalidated.
     */
    REM_INV_REQ_ERR("remote invalid request error"),
    /** {@code IBV_WC_REM_ACCESS_ERR}: the peer rejected the key, the range or the access rights. */
    REM_ACCESS_ERR("remote access error"),
    /**
     * {@code IBV_WC_REM_OP_ERR}: the peer could not execute the request because of an error of its own, such as an
     * invalid receive request.
     */
    REM_OP_ERR("remote operation error"),
    /**
     * {@code IBV_WC_RETRY_EXC_ERR}: no answer after {@link io.rdma4j.verbs.values.QpAttributes#retryCount} retries. A
     * wrong address or QPN of the peer has the same result.
     */
    RETRY_EXC_ERR("transport retry counter exceeded"),
    /**
     * {@code IBV_WC_RNR_RETRY_EXC_ERR}: the peer had no receive request posted in {@link
     * io.rdma4j.verbs.values.QpAttributes#rnrRetry} retries.
     */
    RNR_RETRY_EXC_ERR("RNR retry counter exceeded"),
    /**
     * {@code IBV_WC_LOC_RDD_VIOL_ERR}: queue pair and end-to-end context have different domains. Reliable datagrams
     * only: never raised here.
     */
    LOC_RDD_VIOL_ERR("local RDD violation error"),
    /** {@code IBV_WC_REM_INV_RD_REQ_ERR}: the peer rejected a reliable datagram. Never raised here. */
    REM_INV_RD_REQ_ERR("remote invalid RD request"),
    /**
     * {@code IBV_WC_REM_ABORT_ERR}: the peer aborted the operation. Not raised by queue pairs, which have no reliable
     * datagrams; a management message of several datagrams ends with it if the receiver stops or aborts the transfer.
     */
    REM_ABORT_ERR("aborted error"),
    /**
     * {@code IBV_WC_INV_EECN_ERR}: no end-to-end context has this number. Reliable datagrams only: never raised here.
     */
    INV_EECN_ERR("invalid EE context number"),
    /**
     * {@code IBV_WC_INV_EEC_STATE_ERR}: the end-to-end context is in the wrong state. Reliable datagrams only: never
     * raised here.
     */
    INV_EEC_STATE_ERR("invalid EE context state"),
    /** {@code IBV_WC_FATAL_ERR}: the device failed while this request was in flight; all others are flushed. */
    FATAL_ERR("fatal error"),
    /**
     * {@code IBV_WC_RESP_TIMEOUT_ERR}: a response to a management datagram did not arrive in time. Not raised by queue
     * pairs; their status is {@link #RETRY_EXC_ERR} instead.
     */
    RESP_TIMEOUT_ERR("response timeout error"),
    /** {@code IBV_WC_GENERAL_ERR}: any other error of an adapter. Never raised here. */
    GENERAL_ERR("general error"),
    /** {@code IBV_WC_TM_ERR}: an operation on a tag list failed. Never raised here: tag matching is not supported. */
    TM_ERR("TM error"),
    /**
     * {@code IBV_WC_TM_RNDV_INCOMPLETE}: software must finish a rendezvous. Never raised here: tag matching is not
     * supported.
     */
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

    /** {@return the text of {@code ibv_wc_status_str}} */
    public String text() {
        return text;
    }

    /**
     * {@return the status of a number of {@code enum ibv_wc_status}}
     *
     * @param code 0 for {@code IBV_WC_SUCCESS} and so on
     * @throws RdmaException EINVAL for an undefined number
     */
    public static WcStatus ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new RdmaException(
                    Errno.EINVAL, "completion status " + code + " is not in 0.." + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
