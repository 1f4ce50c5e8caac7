package io.rdma4j.transport;

import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.wire.NakCode;
import org.jspecify.annotations.Nullable;

/**
 * What a step of the responder's ladder says of a request packet (IBA 9.7.5.2, 9.9.3): an error is a value here, never a
 * step. The columns: what the peer of a reliable connection is told, how the receive request under way ends, which event
 * is raised, and what becomes of the queue pair.
 */
enum Verdict {
    /** The step is content; the next one follows. */
    PASS,
    /** Useless to this queue pair: nobody is told. */
    DROP,
    /** Behind a gap that the peer knows of: kept until its turn. */
    HELD,
    /** Received before: it is answered again. */
    DUPLICATE,
    /** No receive request is posted: the peer is asked for patience by an RNR NAK (class B). */
    RECEIVER_NOT_READY,
    /** Packets are missing before it: told once a gap (class B). */
    SEQUENCE_ERROR(NakCode.PSN_SEQUENCE_ERROR, null, null, Effect.NONE),
    /** First or only packet inside a message, or middle or last outside of one (class C). */
    OPCODE_SEQUENCE(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** The operation is not supported or not enabled for this queue pair (class C). */
    UNSUPPORTED_REQUEST(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** More READs and atomics at once than max_dest_rd_atomic (class C). */
    TOO_MANY_REQUESTS(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** The payload does not fit the path MTU, the packet's place in the message, or the length announced (class C). */
    BAD_LENGTH(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** The address of an atomic is no multiple of eight (class C). */
    MISALIGNED_ATOMIC(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** R_Key, range or rights do not fit (class C). */
    REMOTE_ACCESS(NakCode.REMOTE_ACCESS_ERROR, null, EventType.QP_ACCESS_ERR, Effect.PEER_ERROR),
    /** The same of a WRITE that brings immediate data, and has a receive request for it (class C). */
    IMMEDIATE_ACCESS(NakCode.REMOTE_ACCESS_ERROR, WcStatus.LOC_ACCESS_ERR, EventType.QP_ACCESS_ERR, Effect.PEER_ERROR),
    /** The message is longer than the receive request (class C). */
    RECEIVE_TOO_SHORT(NakCode.INVALID_REQUEST, WcStatus.LOC_LEN_ERR, null, Effect.PEER_ERROR),
    /** The receive request names memory that is not registered, or not for writing (class A). */
    RECEIVE_PROTECTION(NakCode.REMOTE_OPERATIONAL_ERROR, WcStatus.LOC_PROT_ERR, null, Effect.LOCAL_ERROR),
    /** The memory of the request or of the shared receive queue cannot be accessed: its file was cut, or the disk failed (class A). */
    MEMORY_FAULT(NakCode.REMOTE_OPERATIONAL_ERROR, WcStatus.LOC_PROT_ERR, EventType.QP_FATAL, Effect.LOCAL_ERROR),
    /** The receive request itself makes no sense (class A). */
    RECEIVE_MALFORMED(NakCode.REMOTE_OPERATIONAL_ERROR, WcStatus.LOC_QP_OP_ERR, null, Effect.LOCAL_ERROR),
    /** An XRC request names a shared receive queue that the target's domain does not have (class C). */
    UNKNOWN_RECEIVE_QUEUE(NakCode.INVALID_REQUEST, null, EventType.QP_REQ_ERR, Effect.PEER_ERROR),
    /** The key that a SEND is to invalidate is none that may be (class J): the peer is told nothing, and will give up. */
    BAD_INVALIDATION(null, WcStatus.REM_INV_REQ_ERR, null, Effect.LOCAL_ERROR),
    /** The completion queue is broken; whoever posts to it raises QP_FATAL (class G). */
    COMPLETION_OVERRUN(null, null, null, Effect.LOCAL_ERROR);

    private enum Effect {
        NONE,
        /** The peer broke a rule: a reliable connection ends, an unreliable one drops the message. */
        PEER_ERROR,
        /** This side is at fault: the queue pair goes to ERR whatever its service. */
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

    /** What the peer is told; null for nothing, or for an RNR NAK. */
    @Nullable
    NakCode nak() {
        return nak;
    }

    /** How the receive request under way ends; null if it is flushed with the others, or there is none. */
    @Nullable
    WcStatus receiveStatus() {
        return receiveStatus;
    }

    /** Which event tells the application; null if a completion alone does. */
    @Nullable
    EventType event() {
        return event;
    }

    /** True if a queue pair of a reliable service goes to ERR. */
    boolean isFatal() {
        return effect != Effect.NONE;
    }

    /** True if a queue pair of any service goes to ERR. */
    boolean isLocalError() {
        return effect == Effect.LOCAL_ERROR;
    }
}
