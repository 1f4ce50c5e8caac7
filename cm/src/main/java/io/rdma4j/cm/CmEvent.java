// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a {@link CmId}. Corresponds to {@code struct ib_cm_event}.
 *
 * <p>Private data has always the length of the field in the message; bytes that the peer did not set are 0. It is a
 * copy that stays valid.
 */
public sealed interface CmEvent {
    /**
     * A peer requests a connection; the id is new, and {@link CmId#listenId} is the listener. Corresponds to
     * {@code IB_CM_REQ_RECEIVED}.
     *
     * @param path the primary path, seen from this end
     * @param alternatePath the path after a migration, or null
     * @param serviceId the requested service
     * @param remoteCaGuid CA GUID of the peer
     * @param remoteQpn queue pair of the peer
     * @param qpType type that the queue pair of this end must have: RC, UC or XRC_TGT
     * @param startingPsn first PSN that this end sends
     * @param responderResources READs and atomics that the peer has outstanding at once
     * @param initiatorDepth READs and atomics that the peer serves at once
     * @param retryCount {@code retry_cnt} of this end
     * @param rnrRetryCount {@code rnr_retry} of this end
     * @param remoteCmResponseTimeout time in which the peer answers, exponent of 4.096 µs
     * @param localCmResponseTimeout time in which this end should answer, exponent of 4.096 µs
     * @param flowControl true if the peer's queue pair has end-to-end credits
     * @param srq true if the peer's queue pair has a shared receive queue
     * @param ece options of the vendor
     * @param privateData 92 bytes
     */
    record ReqReceived(
            CmPath path,
            @Nullable CmPath alternatePath,
            long serviceId,
            long remoteCaGuid,
            int remoteQpn,
            QpType qpType,
            int startingPsn,
            int responderResources,
            int initiatorDepth,
            int retryCount,
            int rnrRetryCount,
            int remoteCmResponseTimeout,
            int localCmResponseTimeout,
            boolean flowControl,
            boolean srq,
            Ece ece,
            MemorySegment privateData)
            implements CmEvent {}

    /**
     * The peer accepts the connection. Corresponds to {@code IB_CM_REP_RECEIVED}.
     *
     * @param remoteCaGuid CA GUID of the peer
     * @param remoteQpn queue pair of the peer
     * @param startingPsn first PSN that this end sends
     * @param responderResources READs and atomics that the peer has outstanding at once
     * @param initiatorDepth READs and atomics that the peer serves at once
     * @param targetAckDelay ACK delay of the peer's device, exponent of 4.096 µs
     * @param failoverAccepted the alternate path of the request: 0 accepted, 1 not supported, 2 rejected
     * @param flowControl true if the peer's queue pair has end-to-end credits
     * @param rnrRetryCount {@code rnr_retry} of this end
     * @param srq true if the peer's queue pair has a shared receive queue
     * @param ece options of the vendor
     * @param privateData 196 bytes
     */
    record RepReceived(
            long remoteCaGuid,
            int remoteQpn,
            int startingPsn,
            int responderResources,
            int initiatorDepth,
            int targetAckDelay,
            int failoverAccepted,
            boolean flowControl,
            int rnrRetryCount,
            boolean srq,
            Ece ece,
            MemorySegment privateData)
            implements CmEvent {}

    /**
     * The connection is established. Corresponds to {@code IB_CM_RTU_RECEIVED}.
     *
     * @param privateData 224 bytes
     */
    record RtuReceived(MemorySegment privateData) implements CmEvent {}

    /** The connection is established by a packet of the peer. Corresponds to {@code IB_CM_USER_ESTABLISHED}. */
    record UserEstablished() implements CmEvent {}

    /**
     * The peer needs more time for its answer. Corresponds to {@code IB_CM_MRA_RECEIVED}.
     *
     * @param message the message that it will answer: REQ, REP or LAP
     * @param serviceTimeout exponent of 4.096 µs
     * @param privateData 222 bytes
     */
    record MraReceived(CmMessage message, int serviceTimeout, MemorySegment privateData) implements CmEvent {}

    /**
     * The peer rejects the connection. Corresponds to {@code IB_CM_REJ_RECEIVED}.
     *
     * @param code reason as on the wire
     * @param reason reason, or null for an unknown code
     * @param info additional information, such as an acceptable value; its length is that of the information
     * @param privateData 148 bytes
     */
    record RejReceived(int code, @Nullable RejectReason reason, MemorySegment info, MemorySegment privateData)
            implements CmEvent {}

    /**
     * The peer disconnects; {@link CmId#sendDrep} answers. Corresponds to {@code IB_CM_DREQ_RECEIVED}.
     *
     * @param privateData 220 bytes
     */
    record DreqReceived(MemorySegment privateData) implements CmEvent {}

    /**
     * The peer has disconnected. Corresponds to {@code IB_CM_DREP_RECEIVED}.
     *
     * @param privateData 224 bytes
     */
    record DrepReceived(MemorySegment privateData) implements CmEvent {}

    /** The queue pair may be used for another connection. Corresponds to {@code IB_CM_TIMEWAIT_EXIT}. */
    record TimewaitExit() implements CmEvent {}

    /**
     * The peer asks to load an alternate path; {@link CmId#sendApr} answers. Corresponds to
     * {@code IB_CM_LAP_RECEIVED}.
     *
     * @param alternatePath the path, seen from this end
     * @param privateData 168 bytes
     */
    record LapReceived(CmPath alternatePath, MemorySegment privateData) implements CmEvent {}

    /**
     * The peer answers a LAP. Corresponds to {@code IB_CM_APR_RECEIVED}.
     *
     * @param code status as on the wire
     * @param status status, or null for an unknown code
     * @param info additional information about a rejection; its length is that of the information
     * @param privateData 148 bytes
     */
    record AprReceived(int code, @Nullable AlternatePathStatus status, MemorySegment info, MemorySegment privateData)
            implements CmEvent {}

    /**
     * A peer asks for the queue pair of a datagram service; the id is new, and {@link CmId#listenId} is the listener.
     * Corresponds to {@code IB_CM_SIDR_REQ_RECEIVED}.
     *
     * @param serviceId the requested service
     * @param pkey P_Key of the communication
     * @param port local port of the request, from 1
     * @param sourceGidIndex index of the GID that the request was sent to
     * @param privateData 216 bytes
     */
    record SidrReqReceived(long serviceId, int pkey, int port, int sourceGidIndex, MemorySegment privateData)
            implements CmEvent {}

    /**
     * The answer to a SIDR_REQ. Corresponds to {@code IB_CM_SIDR_REP_RECEIVED}.
     *
     * @param code status as on the wire
     * @param status status, or null for an unknown code
     * @param qpn queue pair of the service
     * @param qkey its Q_Key
     * @param info additional information about a failure; its length is that of the information
     * @param ece options of the vendor
     * @param privateData 136 bytes
     */
    record SidrRepReceived(
            int code,
            @Nullable SidrStatus status,
            int qpn,
            int qkey,
            MemorySegment info,
            Ece ece,
            MemorySegment privateData)
            implements CmEvent {}

    /**
     * The peer answered none of the repeated messages. Corresponds to {@code IB_CM_REQ_ERROR}, {@code
     * IB_CM_REP_ERROR}, {@code IB_CM_DREQ_ERROR}, {@code IB_CM_LAP_ERROR} and {@code IB_CM_SIDR_REQ_ERROR}.
     *
     * @param message the message without answer
     */
    record NoResponse(CmMessage message) implements CmEvent {}
}
