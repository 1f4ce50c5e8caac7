// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.CmSidrReq;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Receives the messages that make a new {@link CmId}: REQ and SIDR_REQ. */
final class RequestInput {
    private static final long BODY = CmMessage.BODY;
    private static final int MESSAGE_REQ = 0;

    private final CmCore core;
    private final CmTables<CmId> tables;

    RequestInput(CmCore core) {
        this.core = core;
        this.tables = core.tables;
    }

    /** A REQ: begins a connection, or is rejected, or repeats what is known. */
    void req(MemorySegment mad, CmAddress source) {
        int remoteId = CmReq.LOCAL_COMM_ID.getInt(mad, BODY);
        long guid = CmReq.LOCAL_CA_GUID.get(mad, BODY);
        if (remoteId == 0) {
            core.drop(CmDrop.MALFORMED, source);
            return;
        }
        CmId known = tables.byRemoteId(remoteId, guid);
        if (known != null) {
            repeatedReq(known, mad, source);
            return;
        }
        CmId stale = tables.byRemoteQpn(CmReq.LOCAL_QPN.getInt(mad, BODY), guid);
        if (stale != null) {
            reject(mad, source, RejectReason.STALE_CONNECTION, MemorySegment.NULL);
            core.disconnectStale(stale, source);
            return;
        }
        CmId peer = tables.peer(CmReq.SERVICE_ID.get(mad, BODY), source);
        if (peer != null && isActivePeer(peer, mad, guid)) {
            core.drop(CmDrop.WRONG_STATE, source);
            return;
        }
        CmId listener = tables.listener(CmReq.SERVICE_ID.get(mad, BODY));
        if (peer == null && listener == null) {
            reject(mad, source, RejectReason.INVALID_SERVICE_ID, MemorySegment.NULL);
            return;
        }
        CmEvent.ReqReceived event = acceptableReq(mad, source);
        if (event == null) {
            return;
        }
        if (peer != null) {
            begin(peer, CmTrigger.PEER_REQ, mad, source, event);
        } else if (listener != null && hasRoom(listener, source)) {
            begin(new CmId(core, listener.handler(), listener), CmTrigger.REQ, mad, source, event);
        }
    }

    private void repeatedReq(CmId id, MemorySegment mad, CmAddress source) {
        if (!id.isPeer(source)) {
            core.drop(CmDrop.FOREIGN, source);
            return;
        }
        CmStateTable.Step step = CmStateTable.step(id.state, CmTrigger.REPEATED_REQ);
        core.duplicate(CmMessage.REQ, source);
        if (step != null && step.action() == CmAction.REPEAT_ANSWER) {
            id.exchange.repeatAnswer();
        } else if (step != null && step.action() == CmAction.REJECT_STALE) {
            reject(mad, source, RejectReason.STALE_CONNECTION, MemorySegment.NULL);
        }
    }

    /** Returns true if this end stays the active side of a peer-to-peer establishment (IBA 12.10.4). */
    private boolean isActivePeer(CmId id, MemorySegment mad, long remoteGuid) {
        int guids = Long.compareUnsigned(core.device.guid(), remoteGuid);
        return guids > 0 || guids == 0 && id.connection().localQpn > CmReq.LOCAL_QPN.getInt(mad, BODY);
    }

    private boolean hasRoom(CmId listener, CmAddress source) {
        if (listener.isBacklogFull()) {
            core.drop(CmDrop.BACKLOG, source);
            return false;
        }
        if (core.halfOpen() >= core.options.maxHalfOpen() || !tables.hasFreeId()) {
            core.drop(CmDrop.HALF_OPEN, source);
            return false;
        }
        return true;
    }

    /** The event of a REQ; null if the REQ is rejected. */
    private CmEvent.@Nullable ReqReceived acceptableReq(MemorySegment mad, CmAddress source) {
        int port = source.port();
        QpType type = CmReader.qpType(mad);
        if (type == null) {
            reject(mad, source, RejectReason.INVALID_TRANSPORT_TYPE, MemorySegment.NULL);
            return null;
        }
        int gidIndex = core.device.gidIndex(port, PathFields.PRIMARY.receiverGid(mad));
        if (gidIndex < 0) {
            reject(mad, source, RejectReason.INVALID_GID, firstGid(port));
            return null;
        }
        int pkey = CmReq.PARTITION_KEY.getInt(mad, BODY);
        int pkeyIndex = core.device.pkeyIndex(port, pkey);
        if (pkeyIndex < 0) {
            reject(mad, source, RejectReason.CONSUMER_DEFINED, MemorySegment.NULL);
            return null;
        }
        Mtu mtu = CmReader.mtu(mad);
        Mtu maxMtu = core.device.maxMtu(port);
        if (mtu == null || mtu.compareTo(maxMtu) > 0) {
            reject(mad, source, RejectReason.INVALID_MTU, MemorySegment.ofArray(new byte[] {(byte) maxMtu.code()}));
            return null;
        }
        int lmc = core.device.lmc(port);
        CmPath path = PathFields.PRIMARY.read(mad, port, lmc, gidIndex, pkey, pkeyIndex, mtu);
        CmPath alternate = null;
        if (PathFields.ALTERNATE.isPresent(mad)) {
            int alternateIndex = core.device.gidIndex(port, PathFields.ALTERNATE.receiverGid(mad));
            if (alternateIndex < 0 || !core.options.alternatePaths()) {
                reject(mad, source, RejectReason.INVALID_ALT_GID, firstGid(port));
                return null;
            }
            alternate = PathFields.ALTERNATE.read(mad, port, lmc, alternateIndex, pkey, pkeyIndex, mtu);
        }
        return CmReader.req(mad, type, path, alternate);
    }

    private MemorySegment firstGid(int port) {
        return MemorySegment.ofArray(core.device.gid(port, 0).toBytes());
    }

    /** The id becomes the passive side of a connection. */
    private void begin(CmId id, CmTrigger trigger, MemorySegment mad, CmAddress source, CmEvent.ReqReceived event) {
        CmStateTable.Step step = Objects.requireNonNull(CmStateTable.step(id.state, trigger));
        if (trigger == CmTrigger.PEER_REQ) {
            tables.removeQpns(id);
        }
        id.remoteId = CmReq.LOCAL_COMM_ID.getInt(mad, BODY);
        id.remoteGuid = event.remoteCaGuid();
        id.transaction = Mad.TRANSACTION_ID.get(mad, 0);
        id.serviceId = event.serviceId();
        id.address = source;
        id.connection = ConnectionParameters.of(event, CmReq.PRIMARY_LOCAL_ACK_TIMEOUT.getInt(mad, BODY));
        id.responseTimeout = event.remoteCmResponseTimeout();
        id.repeatNs = core.timeoutNs(id.responseTimeout);
        id.maxCmRetries = CmReq.MAX_CM_RETRIES.getInt(mad, BODY);
        tables.addRemote(id, event.remoteQpn());
        core.enter(id, step.next());
        core.report(id, event);
    }

    /** Rejects a REQ for which there is no id. */
    private void reject(MemorySegment req, CmAddress source, RejectReason reason, MemorySegment info) {
        MessageIds ids = new MessageIds(0, CmReq.LOCAL_COMM_ID.getInt(req, BODY), Mad.TRANSACTION_ID.get(req, 0));
        core.send(CmMessage.REJ, CmWriter.rej(ids, MESSAGE_REQ, reason, info, MemorySegment.NULL), source);
    }

    /** A SIDR_REQ: makes an id, or is refused, or repeats what is known. */
    void sidrReq(MemorySegment mad, CmAddress source) {
        int requestId = CmSidrReq.REQUEST_ID.getInt(mad, BODY);
        long serviceId = CmSidrReq.SERVICE_ID.get(mad, BODY);
        CmTables.SidrKey key = CmTables.SidrKey.of(requestId, source, serviceId);
        MemorySegment answer = core.sidrAnswer(key);
        if (answer != null || tables.hasSidrRequest(key)) {
            core.duplicate(CmMessage.SIDR_REQ, source);
            if (answer != null) {
                core.send(CmMessage.SIDR_REP, answer, source);
            }
            return;
        }
        MessageIds ids = new MessageIds(0, requestId, Mad.TRANSACTION_ID.get(mad, 0));
        CmId listener = tables.listener(serviceId);
        SidrStatus refusal = listener == null
                ? SidrStatus.UNSUPPORTED
                : listener.isBacklogFull() || !tables.hasFreeId() ? SidrStatus.REJECT : null;
        if (refusal != null || listener == null) {
            SidrRepParameters reply =
                    SidrRepParameters.failure(refusal == null ? SidrStatus.UNSUPPORTED : refusal, MemorySegment.NULL);
            core.send(CmMessage.SIDR_REP, CmWriter.sidrRep(reply, ids, serviceId), source);
            return;
        }
        CmId id = new CmId(core, listener.handler(), listener);
        id.remoteId = requestId;
        id.transaction = ids.transaction();
        id.serviceId = serviceId;
        id.address = source;
        tables.addSidrRequest(key, id);
        core.enter(
                id,
                Objects.requireNonNull(CmStateTable.step(id.state, CmTrigger.SIDR_REQ))
                        .next());
        core.report(id, CmReader.sidrReq(mad, source));
    }
}
