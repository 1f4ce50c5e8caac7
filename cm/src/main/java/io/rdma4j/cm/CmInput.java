// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmReader.privateData;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.CmApr;
import io.rdma4j.wire.mad.CmDrep;
import io.rdma4j.wire.mad.CmDreq;
import io.rdma4j.wire.mad.CmLap;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmMra;
import io.rdma4j.wire.mad.CmRej;
import io.rdma4j.wire.mad.CmRep;
import io.rdma4j.wire.mad.CmRtu;
import io.rdma4j.wire.mad.CmSidrRep;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes received messages to the ids that they are for. Messages that do not fit are dropped and counted. */
final class CmInput {
    private static final long BODY = CmMessage.BODY;
    private static final ValueLayout.OfLong GUID = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int MESSAGE_REQ = 0;
    private static final int MESSAGE_REP = 1;

    private final CmCore core;
    private final CmTables<CmId> tables;
    private final RequestInput requests;

    CmInput(CmCore core) {
        this.core = core;
        this.tables = core.tables;
        this.requests = new RequestInput(core);
    }

    /** A CM message whose header has been checked. */
    void received(CmMessage message, MemorySegment mad, CmAddress source) {
        core.counters(source.port()).countReceived(message);
        switch (message) {
            case REQ -> requests.req(mad, source);
            case MRA -> mra(mad, source);
            case REJ -> rej(mad, source);
            case REP -> rep(mad, source);
            case RTU -> rtu(mad, source);
            case DREQ -> dreq(mad, source);
            case DREP -> drep(mad, source);
            case SIDR_REQ -> requests.sidrReq(mad, source);
            case SIDR_REP -> sidrRep(mad, source);
            case LAP -> lap(mad, source);
            case APR -> apr(mad, source);
            case SAP, SPR -> core.drop(CmDrop.UNKNOWN_ID, source);
        }
    }

    /** The id that both communication IDs of a message belong to; null, and a drop, if there is none. */
    private @Nullable CmId find(MemorySegment mad, MadField senderId, MadField receiverId, CmAddress source) {
        return find(receiverId.getInt(mad, BODY), senderId.getInt(mad, BODY), source);
    }

    private @Nullable CmId find(int localId, int remoteId, CmAddress source) {
        CmId id = tables.byLocalId(localId);
        if (id == null) {
            core.drop(CmDrop.UNKNOWN_ID, source);
            return null;
        }
        if (id.remoteId != remoteId || id.address == null || !id.isPeer(source)) {
            core.drop(CmDrop.FOREIGN, source);
            return null;
        }
        return id;
    }

    /** The transition of a message; null, and a drop or a duplicate, if it does not proceed. */
    private CmStateTable.@Nullable Step proceed(CmId id, CmTrigger trigger, CmMessage message, CmAddress source) {
        CmStateTable.Step step = CmStateTable.step(id.state, trigger);
        if (step == null) {
            core.drop(CmDrop.WRONG_STATE, source);
            return null;
        }
        if (step.action() == CmAction.PROCEED) {
            return step;
        }
        core.duplicate(message, source);
        if (step.action() == CmAction.REPEAT_ANSWER) {
            id.exchange.repeatAnswer();
        }
        return null;
    }

    /** Makes the transition of a message and reports its event. */
    private void proceed(
            @Nullable CmId id, CmTrigger trigger, CmMessage message, CmAddress source, Supplier<CmEvent> event) {
        CmStateTable.Step step = id == null ? null : proceed(id, trigger, message, source);
        if (id != null && step != null) {
            core.enter(id, step.next());
            core.report(id, event.get());
        }
    }

    private void rep(MemorySegment mad, CmAddress source) {
        int remoteId = CmRep.LOCAL_COMM_ID.getInt(mad, BODY);
        CmId waiting = tables.byLocalId(CmRep.REMOTE_COMM_ID.getInt(mad, BODY));
        boolean isFirst = waiting != null && waiting.remoteId == 0;
        CmId id = find(CmRep.REMOTE_COMM_ID.getInt(mad, BODY), isFirst ? 0 : remoteId, source);
        if (id == null) {
            return;
        }
        if (remoteId == 0) {
            core.drop(CmDrop.MALFORMED, source);
            return;
        }
        if (id.state == CmState.ESTABLISHED && !id.exchange.hasAnswered(CmMessage.RTU)) {
            core.duplicate(CmMessage.REP, source);
            return;
        }
        CmStateTable.Step step = proceed(id, CmTrigger.REP, CmMessage.REP, source);
        if (step == null) {
            return;
        }
        ConnectionParameters connection = id.connection();
        CmEvent.RepReceived event = CmReader.rep(mad, connection.qpType);
        if (tables.byRemoteId(remoteId, event.remoteCaGuid()) != null) {
            core.drop(CmDrop.FOREIGN, source);
            return;
        }
        CmId stale = tables.byRemoteQpn(event.remoteQpn(), event.remoteCaGuid());
        if (stale != null) {
            MessageIds ids = new MessageIds(id.localId, remoteId, Mad.TRANSACTION_ID.get(mad, 0));
            MemorySegment rejection = CmWriter.rej(
                    ids, MESSAGE_REP, RejectReason.STALE_CONNECTION, MemorySegment.NULL, MemorySegment.NULL);
            core.send(CmMessage.REJ, rejection, source);
            core.disconnectStale(stale, source);
            return;
        }
        id.remoteId = remoteId;
        id.remoteGuid = event.remoteCaGuid();
        connection.replied(event);
        tables.addRemote(id, connection.remoteQpn);
        core.enter(id, step.next());
        core.report(id, event);
    }

    private void rtu(MemorySegment mad, CmAddress source) {
        CmId id = find(mad, CmRtu.LOCAL_COMM_ID, CmRtu.REMOTE_COMM_ID, source);
        proceed(
                id,
                CmTrigger.RTU,
                CmMessage.RTU,
                source,
                () -> new CmEvent.RtuReceived(privateData(CmMessage.RTU, mad)));
    }

    private void rej(MemorySegment mad, CmAddress source) {
        CmId id = rejected(mad, source);
        if (id == null) {
            return;
        }
        CmEvent.RejReceived event = CmReader.rej(mad);
        boolean isWaiting = id.state == CmState.REQ_SENT || id.state == CmState.MRA_REQ_RCVD;
        if (isWaiting && event.reason() == RejectReason.INVALID_SERVICE_ID && tables.isPeer(id)) {
            return; // The peer has not sent its request yet; ours is repeated.
        }
        if (isWaiting && concernsAlternatePath(event.reason()) && id.exchange.dropAlternatePath()) {
            return;
        }
        if (isWaiting && id.exchange.redirect(redirection(event))) {
            return;
        }
        CmTrigger trigger = event.reason() == RejectReason.STALE_CONNECTION ? CmTrigger.REJ_STALE : CmTrigger.REJ;
        proceed(id, trigger, CmMessage.REJ, source, () -> event);
    }

    /** The port that a rejection names; zero if it names none. */
    private static Gid redirection(CmEvent.RejReceived event) {
        return switch (event.reason()) {
            case PORT_REDIRECT -> gid(event.info(), 0);
            case PORT_CM_REDIRECT -> gid(event.info(), ClassPortInfo.REDIRECT_GID.offset());
            case null, default -> Gid.ZERO;
        };
    }

    private static Gid gid(MemorySegment info, int offset) {
        return info.byteSize() < offset + Gid.BYTES
                ? Gid.ZERO
                : Gid.ofBytes(info.asSlice(offset, Gid.BYTES).toArray(ValueLayout.JAVA_BYTE));
    }

    private static boolean concernsAlternatePath(@Nullable RejectReason reason) {
        return reason == RejectReason.INVALID_ALT_FLOW_LABEL
                || reason != null
                        && reason.compareTo(RejectReason.INVALID_ALT_GID) >= 0
                        && reason.compareTo(RejectReason.INVALID_ALT_PACKET_RATE) <= 0;
    }

    /**
     * The id that a REJ is for. A REJ of a REQ has only the ID of the sender of the REQ; one for a timeout has the GUID
     * and the ID of its own sender.
     */
    private @Nullable CmId rejected(MemorySegment mad, CmAddress source) {
        int remoteId = CmRej.LOCAL_COMM_ID.getInt(mad, BODY);
        int localId = CmRej.REMOTE_COMM_ID.getInt(mad, BODY);
        if (CmRej.REASON.getInt(mad, BODY) == RejectReason.TIMEOUT.code()) {
            CmId id = tables.byRemoteId(remoteId, CmRej.INFO.bytes(mad, BODY).get(GUID, 0));
            if (id != null) {
                return find(id.localId, remoteId, source);
            }
        }
        return find(localId, CmRej.MESSAGE.getInt(mad, BODY) == MESSAGE_REQ ? 0 : remoteId, source);
    }

    private void mra(MemorySegment mad, CmAddress source) {
        int remoteId = CmMra.LOCAL_COMM_ID.getInt(mad, BODY);
        int localId = CmMra.REMOTE_COMM_ID.getInt(mad, BODY);
        int answered = CmMra.MESSAGE.getInt(mad, BODY);
        CmId id = find(localId, answered == MESSAGE_REQ ? 0 : remoteId, source);
        if (id == null) {
            return;
        }
        switch (answered) {
            case MESSAGE_REQ -> extend(id, CmTrigger.MRA_OF_REQ, CmReader.mra(mad, CmMessage.REQ), source);
            case MESSAGE_REP -> extend(id, CmTrigger.MRA_OF_REP, CmReader.mra(mad, CmMessage.REP), source);
            case 2 -> extendLap(id, CmReader.mra(mad, CmMessage.LAP), source);
            default -> core.drop(CmDrop.MALFORMED, source);
        }
    }

    private void extend(CmId id, CmTrigger trigger, CmEvent.MraReceived event, CmAddress source) {
        CmStateTable.Step step = proceed(id, trigger, CmMessage.MRA, source);
        if (step != null) {
            core.enter(id, step.next());
            extendTimeout(id, event);
        }
    }

    private void extendLap(CmId id, CmEvent.MraReceived event, CmAddress source) {
        CmStateTable.LapStep step = proceedLap(id, CmTrigger.MRA_OF_LAP, CmMessage.MRA, source);
        if (step != null) {
            id.lapState = step.next();
            extendTimeout(id, event);
        }
    }

    private void extendTimeout(CmId id, CmEvent.MraReceived event) {
        id.exchange.extendTimeout(core.timeoutNs(event.serviceTimeout())
                + core.timeoutNs(id.connection().path.packetLifetime() + 1));
        core.report(id, event);
    }

    private void dreq(MemorySegment mad, CmAddress source) {
        int remoteId = CmDreq.LOCAL_COMM_ID.getInt(mad, BODY);
        int localId = CmDreq.REMOTE_COMM_ID.getInt(mad, BODY);
        long transaction = Mad.TRANSACTION_ID.get(mad, 0);
        CmId id = tables.byLocalId(localId);
        if (id == null || id.connection == null || id.remoteId != remoteId) {
            // The peer waits for an answer although this end has no such connection: it died, or its time-wait is over.
            core.duplicate(CmMessage.DREQ, source);
            MessageIds crossed = new MessageIds(localId, remoteId, transaction);
            core.send(CmMessage.DREP, CmWriter.drep(crossed, MemorySegment.NULL), source);
            return;
        }
        if (!id.isPeer(source)) {
            core.drop(CmDrop.FOREIGN, source);
            return;
        }
        if (id.connection.localQpn != CmDreq.REMOTE_QPN.getInt(mad, BODY)) {
            core.drop(CmDrop.FOREIGN, source);
            return;
        }
        if (id.state == CmState.TIMEWAIT) {
            core.duplicate(CmMessage.DREQ, source);
            id.exchange.answerLateDreq(transaction);
            return;
        }
        CmStateTable.Step step = proceed(id, CmTrigger.DREQ, CmMessage.DREQ, source);
        if (step != null) {
            id.dreqTransaction = transaction;
            core.enter(id, step.next());
            core.report(id, new CmEvent.DreqReceived(privateData(CmMessage.DREQ, mad)));
        }
    }

    private void drep(MemorySegment mad, CmAddress source) {
        CmId id = find(mad, CmDrep.LOCAL_COMM_ID, CmDrep.REMOTE_COMM_ID, source);
        proceed(
                id,
                CmTrigger.DREP,
                CmMessage.DREP,
                source,
                () -> new CmEvent.DrepReceived(privateData(CmMessage.DREP, mad)));
    }

    // Alternate path

    private CmStateTable.@Nullable LapStep proceedLap(CmId id, CmTrigger trigger, CmMessage message, CmAddress source) {
        CmStateTable.LapStep step = id.state == CmState.ESTABLISHED ? CmStateTable.lapStep(id.lapState, trigger) : null;
        if (step == null) {
            core.drop(CmDrop.WRONG_STATE, source);
            return null;
        }
        if (step.action() == CmAction.PROCEED) {
            return step;
        }
        core.duplicate(message, source);
        if (step.action() == CmAction.REPEAT_ANSWER) {
            id.exchange.repeatAnswer();
        }
        return null;
    }

    private void lap(MemorySegment mad, CmAddress source) {
        CmId id = find(mad, CmLap.LOCAL_COMM_ID, CmLap.REMOTE_COMM_ID, source);
        if (id == null || id.connection == null) {
            return;
        }
        CmPath primary = id.connection().path;
        Gid gid = PathFields.LAP.receiverGid(mad);
        int port = primary.addressVector().port();
        int gidIndex = core.device.gidIndex(port, gid);
        CmPath path = PathFields.LAP.read(
                mad,
                port,
                core.device.lmc(port),
                Math.max(gidIndex, 0),
                primary.pkey(),
                primary.pkeyIndex(),
                primary.mtu());
        long transaction = Mad.TRANSACTION_ID.get(mad, 0);
        boolean isRepeated = id.lapTransaction == transaction && path.equals(id.proposedPath);
        CmTrigger trigger = isRepeated ? CmTrigger.REPEATED_LAP : CmTrigger.LAP;
        CmStateTable.LapStep step = proceedLap(id, trigger, CmMessage.LAP, source);
        if (step == null) {
            return;
        }
        id.lapTransaction = transaction;
        id.proposedPath = path;
        id.lapState = step.next();
        AlternatePathStatus refusal = refusal(id, mad, path, gidIndex);
        if (refusal != null) {
            id.sendApr(refusal, MemorySegment.NULL, MemorySegment.NULL);
        } else {
            core.report(id, new CmEvent.LapReceived(path, privateData(CmMessage.LAP, mad)));
        }
    }

    private static @Nullable AlternatePathStatus refusal(CmId id, MemorySegment mad, CmPath path, int gidIndex) {
        ConnectionParameters connection = id.connection();
        if (CmLap.REMOTE_QPN.getInt(mad, BODY) != connection.localQpn) {
            return AlternatePathStatus.INVALID_QPN;
        }
        if (gidIndex < 0) {
            return AlternatePathStatus.INVALID_GID;
        }
        boolean isCurrent = path.hasEndsOf(connection.path)
                || connection.alternatePath != null && path.hasEndsOf(connection.alternatePath);
        return isCurrent ? AlternatePathStatus.IS_CURRENT : null;
    }

    private void apr(MemorySegment mad, CmAddress source) {
        CmId id = find(mad, CmApr.LOCAL_COMM_ID, CmApr.REMOTE_COMM_ID, source);
        CmStateTable.LapStep step = id == null ? null : proceedLap(id, CmTrigger.APR, CmMessage.APR, source);
        if (id == null || step == null) {
            return;
        }
        if (Mad.TRANSACTION_ID.get(mad, 0) != id.lapTransaction) {
            core.drop(CmDrop.FOREIGN, source); // The late answer to an earlier LAP.
            return;
        }
        CmEvent.AprReceived event = CmReader.apr(mad);
        id.exchange.cancelMessage();
        id.lapState = step.next();
        if (event.status() == AlternatePathStatus.SUCCESS) {
            id.connection().alternatePath = id.proposedPath;
        }
        core.report(id, event);
    }

    // SIDR

    private void sidrRep(MemorySegment mad, CmAddress source) {
        CmId id = find(CmSidrRep.REQUEST_ID.getInt(mad, BODY), 0, source);
        boolean isRedirected = CmSidrRep.STATUS.getInt(mad, BODY) == SidrStatus.REDIRECT.code();
        if (id != null && id.state == CmState.SIDR_REQ_SENT && isRedirected) {
            Gid gid = gid(CmSidrRep.INFO.bytes(mad, BODY), ClassPortInfo.REDIRECT_GID.offset());
            if (id.exchange.redirect(gid)) {
                return;
            }
        }
        proceed(id, CmTrigger.SIDR_REP, CmMessage.SIDR_REP, source, () -> CmReader.sidrRep(mad));
    }
}
