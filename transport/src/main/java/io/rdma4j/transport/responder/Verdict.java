// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.NakCode;
import org.jspecify.annotations.Nullable;

/**
 * Result of a step of the responder's ladder for a request packet (IBA 9.7.5.2, 9.9.3): an error is a value here, never
 * a step. The columns: the NAK for the peer of a reliable connection, the status of the current receive request, the
 * event that is raised, and the effect on the queue pair.
 */
public enum Verdict {
    /** The next step follows. */
    PASS,
    /** Useless to this queue pair: dropped without notice to the peer. */
    DROP,
    /** Behind a gap that the peer knows of: kept until the missing packets arrive. */
    HELD,
    /** Received before: its response is repeated. */
    DUPLICATE,
    /** No receive request is posted: the peer gets an RNR NAK (class B). */
    RECEIVER_NOT_READY,
    /** Packets are missing before it: reported once per gap (class B). */
    SEQUENCE_ERROR(NakCode.PSN_SEQUENCE_ERROR, null, null, Effect.NONE),
    /** First or only packet inside a message, or middle or last outside of one (class C). */
    OPCODE_SEQUENCE(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** The operation is not supported or not enabled for this queue pair (class C). */
    UNSUPPORTED_REQUEST(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** More READs and atomics at once than max_dest_rd_atomic (class C). */
    TOO_MANY_REQUESTS(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** The payload does not fit the path MTU, the packet's place in the message, or the length announced (class C). */
    BAD_LENGTH(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** The address of an atomic is not a multiple of eight (class C). */
    MISALIGNED_ATOMIC(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** R_Key, range or rights do not match (class C). */
    REMOTE_ACCESS(NakCode.REMOTE_ACCESS_ERROR, null, EventType.QP_ACCESS_ERR, Effect.PEER_ERROR),
    /** The same for a WRITE with immediate data that has a receive request (class C). */
    IMMEDIATE_ACCESS(NakCode.REMOTE_ACCESS_ERROR, WcStatus.LOC_ACCESS_ERR, EventType.QP_ACCESS_ERR, Effect.PEER_ERROR),
    /** The message is longer than the receive request (class C). */
    RECEIVE_TOO_SHORT(NakCode.INVALID_REQUEST, WcStatus.LOC_LEN_ERR, null, Effect.PEER_ERROR),
    /** The receive request names memory that is not registered, or not writable (class A). */
    RECEIVE_PROTECTION(NakCode.REMOTE_OPERATIONAL_ERROR, WcStatus.LOC_PROT_ERR, null, Effect.LOCAL_ERROR),
    /**
     * The memory of the request or of the shared receive queue cannot be accessed: its file was truncated, or the disk
     * failed (class A).
     */
    MEMORY_FAULT(NakCode.REMOTE_OPERATIONAL_ERROR, WcStatus.LOC_PROT_ERR, EventType.QP_FATAL, Effect.LOCAL_ERROR),
    /** The receive request itself is malformed (class A). */
    RECEIVE_MALFORMED(NakCode.REMOTE_OPERATIONAL_ERROR, WcStatus.LOC_QP_OP_ERR, null, Effect.LOCAL_ERROR),
    /** An XRC request names a shared receive queue that the target's domain does not have (class C). */
    UNKNOWN_RECEIVE_QUEUE(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /**
     * The key that a SEND is to invalidate cannot be invalidated (class J): the peer gets no NAK and exhausts its
     * retries.
     */
    BAD_INVALIDATION(null, WcStatus.REM_INV_REQ_ERR, null, Effect.LOCAL_ERROR),
    /** The completion queue is broken; the poster of the completion raises QP_FATAL (class G). */
    COMPLETION_OVERRUN(null, null, null, Effect.LOCAL_ERROR);

    private enum Effect {
        NONE,
        /** The peer violated a rule: a reliable connection ends, an unreliable one drops the message. */
        PEER_ERROR,
        /** The error is on this side: the queue pair goes to ERR whatever its service. */
        LOCAL_ERROR
    }

    private final @Nullable NakCode nak;
    private final @Nullable WcStatus receiveStatus;
    private final @Nullable EventType event;
    private final Effect effect;

    Verdict() {
        this(null, null, null, Effect.NONE);
    }

    Verdict(@Nullable NakCode nak, @Nullable WcStatus receiveStatus, @Nullable EventType event, Effect effect) {
        this.nak = nak;
        this.receiveStatus = receiveStatus;
        this.event = event;
        this.effect = effect;
    }

    /** The NAK code for the peer; null for none, or for an RNR NAK. */
    @Nullable
    public NakCode nak() {
        return nak;
    }

    /** Status of the current receive request; null if it is flushed with the others, or there is none. */
    @Nullable
    public WcStatus receiveStatus() {
        return receiveStatus;
    }

    /** The event that notifies the application; null if there is only a completion. */
    @Nullable
    public EventType event() {
        return event;
    }

    /** True if a queue pair of a reliable service goes to ERR. */
    public boolean isFatal() {
        return effect != Effect.NONE;
    }

    /** True if a queue pair of any service goes to ERR. */
    boolean isLocalError() {
        return effect == Effect.LOCAL_ERROR;
    }
}
