// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What both ends agreed on for a connection, and the attributes of the queue pair that follow from it. */
final class ConnectionParameters {
    private static final Set<QpType> RESPONDERS = EnumSet.of(QpType.RC, QpType.XRC_TGT);
    private static final Set<QpType> REQUESTERS = EnumSet.of(QpType.RC, QpType.XRC_INI);

    private static final Set<CmState> INIT_STATES = EnumSet.range(CmState.REQ_SENT, CmState.ESTABLISHED);
    private static final Set<CmState> RTR_STATES = EnumSet.complementOf(EnumSet.of(
            CmState.IDLE,
            CmState.LISTEN,
            CmState.REQ_SENT,
            CmState.MRA_REQ_RCVD,
            CmState.DREQ_SENT,
            CmState.DREQ_RCVD,
            CmState.TIMEWAIT,
            CmState.SIDR_REQ_SENT,
            CmState.SIDR_REQ_RCVD));

    final QpType qpType;
    final Mtu pathMtu;
    CmPath path;

    @Nullable
    CmPath alternatePath;

    int localQpn;
    int remoteQpn;
    /** {@code rq_psn}: first PSN of the peer. */
    int receivePsn;
    /** {@code sq_psn}: first PSN of this end. */
    int sendPsn;
    /** {@code max_dest_rd_atomic}. */
    int responderResources;
    /** {@code max_rd_atomic}. */
    int initiatorDepth;

    int retryCount;
    int rnrRetryCount;
    /** Local ACK timeout of the queue pair, which is the duration of the time-wait, too. */
    int ackTimeout;

    private ConnectionParameters(QpType qpType, CmPath path, @Nullable CmPath alternatePath) {
        this.qpType = qpType;
        this.path = path;
        this.pathMtu = path.mtu();
        this.alternatePath = alternatePath;
    }

    /** The active side, before the REP. */
    static ConnectionParameters of(ReqParameters request) {
        ConnectionParameters connection =
                new ConnectionParameters(request.qpType(), request.path(), request.alternatePath());
        connection.localQpn = request.qpn();
        connection.receivePsn = request.startingPsn();
        connection.responderResources = request.responderResources();
        connection.initiatorDepth = request.initiatorDepth();
        connection.retryCount = request.retryCount();
        connection.ackTimeout = request.path().packetLifetime() + 1;
        return connection;
    }

    /** The passive side, before its REP. */
    static ConnectionParameters of(CmEvent.ReqReceived request, int ackTimeout) {
        ConnectionParameters connection =
                new ConnectionParameters(request.qpType(), request.path(), request.alternatePath());
        connection.remoteQpn = request.remoteQpn();
        connection.sendPsn = request.startingPsn();
        connection.responderResources = request.responderResources();
        connection.initiatorDepth = request.initiatorDepth();
        connection.retryCount = request.retryCount();
        connection.rnrRetryCount = request.rnrRetryCount();
        connection.ackTimeout = ackTimeout;
        return connection;
    }

    /** Adds what the REP of the peer says. */
    void replied(CmEvent.RepReceived reply) {
        remoteQpn = reply.remoteQpn();
        sendPsn = reply.startingPsn();
        responderResources = reply.responderResources();
        initiatorDepth = reply.initiatorDepth();
        rnrRetryCount = reply.rnrRetryCount();
        ackTimeout = CmTimes.ackTimeout(reply.targetAckDelay(), path.packetLifetime());
        if (reply.failoverAccepted() != 0) {
            alternatePath = null;
        }
    }

    /** Adds what the own REP says. */
    void reply(RepParameters reply) {
        localQpn = reply.qpn();
        receivePsn = reply.startingPsn();
        responderResources = reply.responderResources();
        initiatorDepth = reply.initiatorDepth();
        if (reply.failoverAccepted() != 0) {
            alternatePath = null;
        }
    }

    /** Returns true if {@code source} is an end of one of the paths. */
    boolean isEnd(CmAddress source) {
        return path.address().isSameEnd(source)
                || alternatePath != null && alternatePath.address().isSameEnd(source);
    }

    /** Returns true if the messages of an id in this state tell the attributes for a state of its queue pair. */
    static boolean hasAttributes(QpState next, CmState state) {
        return (next == QpState.INIT ? INIT_STATES : RTR_STATES).contains(state);
    }

    /** Corresponds to {@code ib_cm_init_qp_attr}; the state of the id has been checked. */
    QpAttributes attributes(QpState state, LapState lapState) {
        QpAttributes.Builder attributes = QpAttributes.builder().state(state);
        switch (state) {
            case INIT -> init(attributes);
            case RTR -> readyToReceive(attributes);
            case RTS -> {
                if (lapState == LapState.LAP_UNINIT) {
                    readyToSend(attributes);
                } else {
                    addAlternatePath(attributes);
                }
                if (alternatePath != null) {
                    attributes.migrationState(MigrationState.REARM);
                }
            }
            default ->
                throw new RdmaException(Errno.EINVAL, "attributes exist for INIT, RTR and RTS, not for " + state);
        }
        return attributes.build();
    }

    private void init(QpAttributes.Builder attributes) {
        Set<AccessFlag> access = EnumSet.of(AccessFlag.REMOTE_WRITE);
        if (responderResources > 0) {
            access.add(AccessFlag.REMOTE_READ);
            access.add(AccessFlag.REMOTE_ATOMIC);
        }
        attributes
                .accessFlags(access)
                .pkeyIndex(path.pkeyIndex())
                .port(path.addressVector().port());
    }

    private void readyToReceive(QpAttributes.Builder attributes) {
        attributes
                .addressVector(path.packetVector())
                .pathMtu(pathMtu)
                .destinationQpn(remoteQpn)
                .rqPsn(receivePsn);
        if (RESPONDERS.contains(qpType)) {
            attributes.maxDestRdAtomic(responderResources).minRnrTimer(0);
        }
        addAlternatePath(attributes);
    }

    private void readyToSend(QpAttributes.Builder attributes) {
        attributes.sqPsn(sendPsn);
        if (REQUESTERS.contains(qpType)) {
            attributes.retryCount(retryCount).rnrRetry(rnrRetryCount).maxRdAtomic(initiatorDepth);
        }
        if (qpType != QpType.UC) {
            attributes.timeout(ackTimeout);
        }
    }

    private void addAlternatePath(QpAttributes.Builder attributes) {
        if (alternatePath != null) {
            attributes.alternatePath(alternatePath.asAlternatePath(ackTimeout));
        }
    }
}
