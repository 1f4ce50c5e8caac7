// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.AlternatePathStatus;
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
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Makes messages. Private data beyond the maximum of a message and values wider than their field are EINVAL. */
final class CmWriter {
    private static final long BODY = CmMessage.BODY;

    private static final int RC = 0;
    private static final int UC = 1;
    private static final int EXTENDED = 3;
    private static final int XRC = 1;

    private CmWriter() {}

    static MemorySegment req(ReqParameters request, MessageIds ids, CmDevice device) {
        MemorySegment mad = message(CmMessage.REQ, ids.transaction(), request.privateData());
        CmReq.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmReq.VENDOR_ID.put(mad, BODY, request.ece().vendorId());
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, request.ece().options());
        CmReq.SERVICE_ID.put(mad, BODY, request.serviceId());
        CmReq.LOCAL_CA_GUID.put(mad, BODY, device.guid());
        CmReq.LOCAL_QPN.put(mad, BODY, request.qpn());
        put(CmReq.REMOTE_CM_RESPONSE_TIMEOUT, mad, request.remoteCmResponseTimeout());
        put(CmReq.LOCAL_CM_RESPONSE_TIMEOUT, mad, request.localCmResponseTimeout());
        put(CmReq.MAX_CM_RETRIES, mad, request.maxCmRetries());
        putTransport(mad, request.qpType());
        CmReq.END_TO_END_FLOW_CONTROL.put(mad, BODY, bit(request.flowControl()));
        CmReq.STARTING_PSN.put(mad, BODY, request.startingPsn());
        put(CmReq.INITIATOR_DEPTH, mad, request.initiatorDepth());
        if (request.qpType() != QpType.XRC_INI) {
            put(CmReq.RESPONDER_RESOURCES, mad, request.responderResources());
            put(CmReq.RETRY_COUNT, mad, request.retryCount());
            put(CmReq.RNR_RETRY_COUNT, mad, request.rnrRetryCount());
            CmReq.SRQ.put(mad, BODY, bit(request.srq()));
        }
        CmReq.PARTITION_KEY.put(mad, BODY, request.path().pkey());
        CmReq.PATH_MTU.put(mad, BODY, request.path().mtu().code());
        putPath(PathFields.PRIMARY, mad, request.path(), device);
        CmPath alternate = request.alternatePath();
        if (alternate != null) {
            putPath(PathFields.ALTERNATE, mad, alternate, device);
        }
        return mad;
    }

    private static void putPath(PathFields fields, MemorySegment mad, CmPath path, CmDevice device) {
        fields.put(mad, path, CmTimes.ackTimeout(device.ackDelay(), path.packetLifetime()));
    }

    private static void putTransport(MemorySegment mad, QpType type) {
        switch (type) {
            case RC -> CmReq.TRANSPORT_SERVICE_TYPE.put(mad, BODY, RC);
            case UC -> CmReq.TRANSPORT_SERVICE_TYPE.put(mad, BODY, UC);
            case XRC_INI -> {
                CmReq.TRANSPORT_SERVICE_TYPE.put(mad, BODY, EXTENDED);
                CmReq.EXTENDED_TRANSPORT.put(mad, BODY, XRC);
            }
            default -> throw new RdmaException(Errno.EINVAL, "a REQ is for RC, UC or XRC_INI, not for " + type);
        }
    }

    /** Returns true if the request offers an alternate path, and takes it out. */
    static boolean removeAlternatePath(MemorySegment req) {
        boolean hasPath = PathFields.ALTERNATE.isPresent(req);
        PathFields.ALTERNATE.clear(req);
        return hasPath;
    }

    static MemorySegment rep(RepParameters reply, MessageIds ids, CmDevice device, QpType type) {
        MemorySegment mad = message(CmMessage.REP, ids.transaction(), reply.privateData());
        CmRep.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmRep.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        CmRep.STARTING_PSN.put(mad, BODY, reply.startingPsn());
        put(CmRep.RESPONDER_RESOURCES, mad, reply.responderResources());
        CmRep.TARGET_ACK_DELAY.put(mad, BODY, device.ackDelay());
        put(CmRep.FAILOVER_ACCEPTED, mad, reply.failoverAccepted());
        put(CmRep.RNR_RETRY_COUNT, mad, reply.rnrRetryCount());
        CmRep.LOCAL_CA_GUID.put(mad, BODY, device.guid());
        if (type == QpType.XRC_TGT) {
            CmRep.SRQ.put(mad, BODY, 1);
            CmRep.LOCAL_EECN.put(mad, BODY, reply.qpn());
        } else {
            put(CmRep.INITIATOR_DEPTH, mad, reply.initiatorDepth());
            CmRep.END_TO_END_FLOW_CONTROL.put(mad, BODY, bit(reply.flowControl()));
            CmRep.SRQ.put(mad, BODY, bit(reply.srq()));
            CmRep.LOCAL_QPN.put(mad, BODY, reply.qpn());
        }
        int vendor = reply.ece().vendorId();
        CmRep.VENDOR_ID_HIGH.put(mad, BODY, vendor >>> 2 * Byte.SIZE);
        CmRep.VENDOR_ID_MIDDLE.put(mad, BODY, vendor >>> Byte.SIZE);
        CmRep.VENDOR_ID_LOW.put(mad, BODY, vendor);
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, reply.ece().options());
        return mad;
    }

    static MemorySegment rtu(MessageIds ids, MemorySegment privateData) {
        MemorySegment mad = message(CmMessage.RTU, ids.transaction(), privateData);
        CmRtu.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmRtu.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        return mad;
    }

    static MemorySegment rej(
            MessageIds ids, int rejected, RejectReason reason, MemorySegment info, MemorySegment privateData) {
        MemorySegment mad = message(CmMessage.REJ, ids.transaction(), privateData);
        CmRej.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmRej.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        CmRej.MESSAGE.put(mad, BODY, rejected);
        CmRej.REASON.put(mad, BODY, reason.code());
        CmRej.INFO_LENGTH.put(mad, BODY, putBytes(CmRej.INFO, mad, info));
        return mad;
    }

    static MemorySegment mra(MessageIds ids, int message, int serviceTimeout, MemorySegment privateData) {
        MemorySegment mad = message(CmMessage.MRA, ids.transaction(), privateData);
        CmMra.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmMra.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        CmMra.MESSAGE.put(mad, BODY, message);
        put(CmMra.SERVICE_TIMEOUT, mad, serviceTimeout);
        return mad;
    }

    static MemorySegment dreq(MessageIds ids, int remoteQpn, MemorySegment privateData) {
        MemorySegment mad = message(CmMessage.DREQ, ids.transaction(), privateData);
        CmDreq.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmDreq.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        CmDreq.REMOTE_QPN.put(mad, BODY, remoteQpn);
        return mad;
    }

    static MemorySegment drep(MessageIds ids, MemorySegment privateData) {
        MemorySegment mad = message(CmMessage.DREP, ids.transaction(), privateData);
        CmDrep.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmDrep.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        return mad;
    }

    static MemorySegment lap(
            MessageIds ids, ConnectionParameters connection, CmPath path, int responseTimeout, MemorySegment data) {
        MemorySegment mad = message(CmMessage.LAP, ids.transaction(), data);
        CmLap.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmLap.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        CmLap.REMOTE_QPN.put(mad, BODY, connection.remoteQpn);
        CmLap.REMOTE_CM_RESPONSE_TIMEOUT.put(mad, BODY, responseTimeout);
        PathFields.LAP.put(mad, path, connection.ackTimeout);
        return mad;
    }

    static MemorySegment apr(MessageIds ids, AlternatePathStatus status, MemorySegment info, MemorySegment data) {
        MemorySegment mad = message(CmMessage.APR, ids.transaction(), data);
        CmApr.LOCAL_COMM_ID.put(mad, BODY, ids.local());
        CmApr.REMOTE_COMM_ID.put(mad, BODY, ids.remote());
        CmApr.STATUS.put(mad, BODY, status.code());
        CmApr.INFO_LENGTH.put(mad, BODY, putBytes(CmApr.INFO, mad, info));
        return mad;
    }

    static MemorySegment sidrReq(SidrReqParameters request, MessageIds ids) {
        MemorySegment mad = message(CmMessage.SIDR_REQ, ids.transaction(), request.privateData());
        CmSidrReq.REQUEST_ID.put(mad, BODY, ids.local());
        CmSidrReq.PARTITION_KEY.put(mad, BODY, request.path().pkey());
        CmSidrReq.SERVICE_ID.put(mad, BODY, request.serviceId());
        return mad;
    }

    static MemorySegment sidrRep(SidrRepParameters reply, MessageIds ids, long serviceId) {
        MemorySegment mad = message(CmMessage.SIDR_REP, ids.transaction(), reply.privateData());
        CmSidrRep.REQUEST_ID.put(mad, BODY, ids.remote());
        CmSidrRep.STATUS.put(mad, BODY, reply.status().code());
        CmSidrRep.QPN.put(mad, BODY, reply.qpn());
        CmSidrRep.QKEY.put(mad, BODY, reply.qkey());
        CmSidrRep.SERVICE_ID.put(mad, BODY, serviceId);
        CmSidrRep.INFO_LENGTH.put(mad, BODY, putBytes(CmSidrRep.INFO, mad, reply.info()));
        CmSidrRep.VENDOR_ID_HIGH.put(mad, BODY, reply.ece().vendorId() >>> Byte.SIZE);
        CmSidrRep.VENDOR_ID_LOW.put(mad, BODY, reply.ece().vendorId());
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, reply.ece().options());
        return mad;
    }

    private static MemorySegment message(CmMessage message, long transactionId, MemorySegment privateData) {
        MadField field = Objects.requireNonNull(message.privateData());
        if (privateData.byteSize() > field.length()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "private data of a " + message + " has " + privateData.byteSize() + " bytes, at most "
                            + field.length());
        }
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        message.write(mad, 0, transactionId);
        putBytes(field, mad, privateData);
        return mad;
    }

    private static long putBytes(MadField field, MemorySegment mad, MemorySegment bytes) {
        if (bytes.byteSize() > field.length()) {
            throw new RdmaException(
                    Errno.EINVAL, field.name() + " has " + bytes.byteSize() + " bytes, at most " + field.length());
        }
        field.bytes(mad, BODY).asSlice(0, bytes.byteSize()).copyFrom(bytes);
        return bytes.byteSize();
    }

    private static void put(MadField field, MemorySegment mad, int value) {
        if (value >>> field.bits() != 0) {
            throw new RdmaException(
                    Errno.EINVAL, field.name() + " is " + value + ", more than " + field.bits() + " bits");
        }
        field.put(mad, BODY, value);
    }

    private static int bit(boolean value) {
        return value ? 1 : 0;
    }
}
