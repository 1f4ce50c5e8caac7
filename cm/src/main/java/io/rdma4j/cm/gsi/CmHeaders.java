// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.wire.mad.CmApr;
import io.rdma4j.wire.mad.CmDrep;
import io.rdma4j.wire.mad.CmDreq;
import io.rdma4j.wire.mad.CmLap;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmMra;
import io.rdma4j.wire.mad.CmRej;
import io.rdma4j.wire.mad.CmRep;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.CmRtu;
import io.rdma4j.wire.mad.CmSidrRep;
import io.rdma4j.wire.mad.CmSidrReq;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The fields of CM messages that the router reads, and the messages that it writes in the place of a manager. */
final class CmHeaders {
    static final int BODY = CmMessage.BODY;

    private static final ValueLayout.OfLong GUID = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private CmHeaders() {}

    /** Returns the kind of a message; null for other datagrams of the class. */
    static @Nullable CmMessage kind(MemorySegment mad) {
        return Mad.METHOD.getInt(mad, 0) == MadMethod.SEND.code()
                ? CmMessage.of(Mad.ATTRIBUTE_ID.getInt(mad, 0))
                : null;
    }

    static long transaction(MemorySegment mad) {
        return Mad.TRANSACTION_ID.get(mad, 0);
    }

    /** The communication ID of the sender; 0 for messages without one. */
    static int sender(CmMessage kind, MemorySegment mad) {
        MadField field = switch (kind) {
            case REQ -> CmReq.LOCAL_COMM_ID;
            case MRA -> CmMra.LOCAL_COMM_ID;
            case REJ -> CmRej.LOCAL_COMM_ID;
            case REP -> CmRep.LOCAL_COMM_ID;
            case RTU -> CmRtu.LOCAL_COMM_ID;
            case DREQ -> CmDreq.LOCAL_COMM_ID;
            case DREP -> CmDrep.LOCAL_COMM_ID;
            case LAP -> CmLap.LOCAL_COMM_ID;
            case APR -> CmApr.LOCAL_COMM_ID;
            case SIDR_REQ -> CmSidrReq.REQUEST_ID;
            case SIDR_REP, SAP, SPR -> null;
        };
        return field == null ? 0 : field.getInt(mad, BODY);
    }

    /** The communication ID of the receiver; 0 for messages without one. */
    static int receiver(CmMessage kind, MemorySegment mad) {
        MadField field = switch (kind) {
            case MRA -> CmMra.REMOTE_COMM_ID;
            case REJ -> CmRej.REMOTE_COMM_ID;
            case REP -> CmRep.REMOTE_COMM_ID;
            case RTU -> CmRtu.REMOTE_COMM_ID;
            case DREQ -> CmDreq.REMOTE_COMM_ID;
            case DREP -> CmDrep.REMOTE_COMM_ID;
            case LAP -> CmLap.REMOTE_COMM_ID;
            case APR -> CmApr.REMOTE_COMM_ID;
            case SIDR_REP -> CmSidrRep.REQUEST_ID;
            case REQ, SIDR_REQ, SAP, SPR -> null;
        };
        return field == null ? 0 : field.getInt(mad, BODY);
    }

    /** The service ID of a REQ or SIDR_REQ. */
    static long serviceId(CmMessage kind, MemorySegment mad) {
        return kind == CmMessage.REQ ? CmReq.SERVICE_ID.get(mad, BODY) : CmSidrReq.SERVICE_ID.get(mad, BODY);
    }

    /** True if a REJ or MRA answers a REQ. */
    static boolean answersRequest(CmMessage kind, MemorySegment mad) {
        return kind == CmMessage.REJ && CmRej.MESSAGE.getInt(mad, BODY) == 0
                || kind == CmMessage.MRA && CmMra.MESSAGE.getInt(mad, BODY) == 0;
    }

    private static MemorySegment message(CmMessage kind, long transaction) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        kind.write(mad, 0, transaction);
        return mad;
    }

    /**
     * @param message what is rejected: 0 REQ, 1 REP, 2 no message
     * @param guid additional information of a REJ for a timeout; 0 for none
     */
    static MemorySegment rej(int local, int remote, long transaction, int message, RejectReason reason, long guid) {
        MemorySegment mad = message(CmMessage.REJ, transaction);
        CmRej.LOCAL_COMM_ID.put(mad, BODY, local);
        CmRej.REMOTE_COMM_ID.put(mad, BODY, remote);
        CmRej.MESSAGE.put(mad, BODY, message);
        CmRej.REASON.put(mad, BODY, reason.code());
        if (guid != 0) {
            CmRej.INFO_LENGTH.put(mad, BODY, Long.BYTES);
            CmRej.INFO.bytes(mad, BODY).set(GUID, 0, guid);
        }
        return mad;
    }

    static MemorySegment dreq(int local, int remote, long transaction, int remoteQpn) {
        MemorySegment mad = message(CmMessage.DREQ, transaction);
        CmDreq.LOCAL_COMM_ID.put(mad, BODY, local);
        CmDreq.REMOTE_COMM_ID.put(mad, BODY, remote);
        CmDreq.REMOTE_QPN.put(mad, BODY, remoteQpn);
        return mad;
    }

    static MemorySegment sidrRejection(int requestId, long transaction, long serviceId) {
        MemorySegment mad = message(CmMessage.SIDR_REP, transaction);
        CmSidrRep.REQUEST_ID.put(mad, BODY, requestId);
        CmSidrRep.STATUS.put(mad, BODY, SidrStatus.REJECT.code());
        CmSidrRep.SERVICE_ID.put(mad, BODY, serviceId);
        return mad;
    }
}
