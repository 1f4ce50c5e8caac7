// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmApr;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmMra;
import io.rdma4j.wire.mad.CmRej;
import io.rdma4j.wire.mad.CmRep;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.CmSidrRep;
import io.rdma4j.wire.mad.CmSidrReq;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes events from messages. */
final class CmReader {
    private static final long BODY = CmMessage.BODY;
    private static final int MTU_CODES = 5;
    private static final int EXTENDED = 3;

    private CmReader() {}

    /** Type of the queue pair that answers a REQ; null if there is none. */
    static @Nullable QpType qpType(MemorySegment req) {
        return switch (CmReq.TRANSPORT_SERVICE_TYPE.getInt(req, BODY)) {
            case 0 -> QpType.RC;
            case 1 -> QpType.UC;
            case EXTENDED -> CmReq.EXTENDED_TRANSPORT.getInt(req, BODY) == 1 ? QpType.XRC_TGT : null;
            default -> null;
        };
    }

    /** Path MTU of a REQ; null if the code is unknown. */
    static @Nullable Mtu mtu(MemorySegment req) {
        int code = CmReq.PATH_MTU.getInt(req, BODY);
        return code >= 1 && code <= MTU_CODES ? Mtu.ofCode(code) : null;
    }

    static CmEvent.ReqReceived req(MemorySegment req, QpType type, CmPath path, @Nullable CmPath alternatePath) {
        return new CmEvent.ReqReceived(
                path,
                alternatePath,
                CmReq.SERVICE_ID.get(req, BODY),
                CmReq.LOCAL_CA_GUID.get(req, BODY),
                CmReq.LOCAL_QPN.getInt(req, BODY),
                type,
                CmReq.STARTING_PSN.getInt(req, BODY),
                CmReq.INITIATOR_DEPTH.getInt(req, BODY),
                CmReq.RESPONDER_RESOURCES.getInt(req, BODY),
                CmReq.RETRY_COUNT.getInt(req, BODY),
                CmReq.RNR_RETRY_COUNT.getInt(req, BODY),
                CmReq.LOCAL_CM_RESPONSE_TIMEOUT.getInt(req, BODY),
                CmReq.REMOTE_CM_RESPONSE_TIMEOUT.getInt(req, BODY),
                CmReq.END_TO_END_FLOW_CONTROL.isSet(req, BODY),
                CmReq.SRQ.isSet(req, BODY),
                new Ece(CmReq.VENDOR_ID.getInt(req, BODY), Mad.ATTRIBUTE_MODIFIER.getInt(req, 0)),
                privateData(CmMessage.REQ, req));
    }

    /** Queue pair of the sender of a REP. */
    static int remoteQpn(MemorySegment rep, QpType localType) {
        return localType == QpType.XRC_INI ? CmRep.LOCAL_EECN.getInt(rep, BODY) : CmRep.LOCAL_QPN.getInt(rep, BODY);
    }

    static CmEvent.RepReceived rep(MemorySegment rep, QpType localType) {
        int vendor = CmRep.VENDOR_ID_HIGH.getInt(rep, BODY) << 2 * Byte.SIZE
                | CmRep.VENDOR_ID_MIDDLE.getInt(rep, BODY) << Byte.SIZE
                | CmRep.VENDOR_ID_LOW.getInt(rep, BODY);
        return new CmEvent.RepReceived(
                CmRep.LOCAL_CA_GUID.get(rep, BODY),
                remoteQpn(rep, localType),
                CmRep.STARTING_PSN.getInt(rep, BODY),
                CmRep.INITIATOR_DEPTH.getInt(rep, BODY),
                CmRep.RESPONDER_RESOURCES.getInt(rep, BODY),
                CmRep.TARGET_ACK_DELAY.getInt(rep, BODY),
                CmRep.FAILOVER_ACCEPTED.getInt(rep, BODY),
                CmRep.END_TO_END_FLOW_CONTROL.isSet(rep, BODY),
                CmRep.RNR_RETRY_COUNT.getInt(rep, BODY),
                CmRep.SRQ.isSet(rep, BODY),
                new Ece(vendor, Mad.ATTRIBUTE_MODIFIER.getInt(rep, 0)),
                privateData(CmMessage.REP, rep));
    }

    static CmEvent.MraReceived mra(MemorySegment mra, CmMessage answered) {
        return new CmEvent.MraReceived(
                answered, CmMra.SERVICE_TIMEOUT.getInt(mra, BODY), privateData(CmMessage.MRA, mra));
    }

    static CmEvent.RejReceived rej(MemorySegment rej) {
        int code = CmRej.REASON.getInt(rej, BODY);
        return new CmEvent.RejReceived(
                code, RejectReason.of(code), info(CmRej.INFO, CmRej.INFO_LENGTH, rej), privateData(CmMessage.REJ, rej));
    }

    static CmEvent.AprReceived apr(MemorySegment apr) {
        int code = CmApr.STATUS.getInt(apr, BODY);
        return new CmEvent.AprReceived(
                code,
                AlternatePathStatus.of(code),
                info(CmApr.INFO, CmApr.INFO_LENGTH, apr),
                privateData(CmMessage.APR, apr));
    }

    static CmEvent.SidrReqReceived sidrReq(MemorySegment request, CmAddress source) {
        GlobalRoute route = source.addressVector().route();
        return new CmEvent.SidrReqReceived(
                CmSidrReq.SERVICE_ID.get(request, BODY),
                CmSidrReq.PARTITION_KEY.getInt(request, BODY),
                source.port(),
                route == null ? 0 : route.sourceGidIndex(),
                privateData(CmMessage.SIDR_REQ, request));
    }

    static CmEvent.SidrRepReceived sidrRep(MemorySegment reply) {
        int code = CmSidrRep.STATUS.getInt(reply, BODY);
        int vendor =
                CmSidrRep.VENDOR_ID_HIGH.getInt(reply, BODY) << Byte.SIZE | CmSidrRep.VENDOR_ID_LOW.getInt(reply, BODY);
        return new CmEvent.SidrRepReceived(
                code,
                SidrStatus.of(code),
                CmSidrRep.QPN.getInt(reply, BODY),
                CmSidrRep.QKEY.getInt(reply, BODY),
                info(CmSidrRep.INFO, CmSidrRep.INFO_LENGTH, reply),
                new Ece(vendor, Mad.ATTRIBUTE_MODIFIER.getInt(reply, 0)),
                privateData(CmMessage.SIDR_REP, reply));
    }

    /** A copy of the private data. */
    static MemorySegment privateData(CmMessage message, MemorySegment mad) {
        MadField field = Objects.requireNonNull(message.privateData());
        return copy(field.bytes(mad, BODY));
    }

    /** A copy of the valid part of the additional information; a longer length than that of the field is cut. */
    private static MemorySegment info(MadField field, MadField length, MemorySegment mad) {
        return copy(field.bytes(mad, BODY).asSlice(0, Math.min(length.getInt(mad, BODY), field.length())));
    }

    private static MemorySegment copy(MemorySegment bytes) {
        return MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE)).asReadOnly();
    }
}
