// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection, a listener, or a SIDR request. Corresponds to {@code struct ib_cm_id} and the functions on
 * it. {@link Cm#createId} makes one; requests of peers make further ones.
 *
 * <p>A call that the state does not allow, and private data that is too long, throw an {@link RdmaException} with
 * EINVAL and change nothing. Private data is copied.
 */
public final class CmId extends CmEntry {
    /** Receives the events of an id, one at a time, in order. May call anything, also {@link CmId#destroy}. */
    @FunctionalInterface
    public interface Handler {
        /**
         * An event of an id.
         *
         * @param id the id; a new one for a request of a peer
         * @param event what happened
         */
        void handle(CmId id, CmEvent event);
    }

    final CmCore core;
    final @Nullable CmId listenId;
    private Handler handler;
    private boolean isDestroyed;

    CmState state = CmState.IDLE;
    LapState lapState = LapState.LAP_UNINIT;
    /** Transaction IDs of the REQ or SIDR_REQ, of the DREQ and of the LAP. */
    long transaction;

    long dreqTransaction;
    long lapTransaction;

    /** The path that the last LAP proposes. */
    @Nullable
    CmPath proposedPath;
    /** Response timeout for the answers of the peer, exponent of 4.096 µs. */
    int responseTimeout;
    /** Time until a message is repeated. */
    long repeatNs;

    int maxCmRetries;

    /** Listener: maximum and number of requests that wait for an answer of the program. */
    private int backlog;

    int waiting;

    final CmExchange exchange;

    CmId(CmCore core, Handler handler, @Nullable CmId listenId) {
        super(core.tables.newLocalId());
        this.core = core;
        this.handler = handler;
        this.listenId = listenId;
        exchange = new CmExchange(core, this);
        core.tables.add(this);
    }

    /** {@return the state} */
    public CmState state() {
        return state;
    }

    /** {@return the state of the alternate path} */
    public LapState lapState() {
        return lapState;
    }

    /** {@return the listener that the request came to; null for ids that the program created} */
    public @Nullable CmId listenId() {
        return listenId;
    }

    /**
     * Sets the receiver of events. The id of a request of a peer has the handler of the listener until then.
     *
     * @param newHandler receives the events that follow
     */
    public void setHandler(Handler newHandler) {
        handler = newHandler;
    }

    boolean isDestroyed() {
        return isDestroyed;
    }

    void handle(CmEvent event) {
        if (!isDestroyed) {
            handler.handle(this, event);
        }
    }

    Handler handler() {
        return handler;
    }

    /**
     * Waits for requests to a service. Corresponds to {@code ib_cm_listen}.
     *
     * @param service the service ID; 0x0200000000000000 assigns one, see {@link #serviceId()}
     * @param mask bits of the service ID that are compared; -1 for all
     * @param maxWaiting backlog: requests that the program has neither accepted nor rejected. Further ones are dropped;
     *     peers repeat them.
     * @throws RdmaException EBUSY if the service has a listener, EINVAL in another state than IDLE
     */
    public void listen(long service, long mask, int maxWaiting) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.LISTEN);
        serviceId = core.tables.listen(this, service, mask);
        serviceMask = mask;
        backlog = maxWaiting;
        core.enter(this, step.next());
    }

    boolean isBacklogFull() {
        return waiting >= backlog;
    }

    /**
     * Requests a connection. Corresponds to {@code ib_send_cm_req}. The queue pair should be in INIT, with receive
     * requests posted. If the peer redirects the request to another port, it is sent there, once.
     *
     * @param request the contents
     */
    public void sendReq(ReqParameters request) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_REQ);
        CmPath alternate = request.alternatePath();
        if (alternate != null
                && (alternate.pkey() != request.path().pkey()
                        || alternate.mtu() != request.path().mtu())) {
            throw new RdmaException(Errno.EINVAL, "the alternate path has another P_Key or MTU than the primary path");
        }
        transaction = core.transaction(localId);
        MemorySegment mad = CmWriter.req(request, ids(transaction), core.device);
        connection = ConnectionParameters.of(request);
        address = request.path().address();
        serviceId = request.serviceId();
        responseTimeout = request.remoteCmResponseTimeout();
        maxCmRetries = request.maxCmRetries();
        repeatNs = core.timeoutNs(responseTimeout)
                + 2 * core.timeoutNs(request.path().packetLifetime());
        core.enter(this, step.next());
        core.tables.addLocalQpn(this, request.qpn());
        if (request.peerToPeer()) {
            core.tables.addPeer(this);
        }
        exchange.sendRepeatedly(CmMessage.REQ, mad, repeatNs);
    }

    /**
     * Accepts a connection. Corresponds to {@code ib_send_cm_rep}. The queue pair should be in RTS, with receive
     * requests posted.
     *
     * @param reply the contents
     */
    public void sendRep(RepParameters reply) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_REP);
        ConnectionParameters parameters = connection();
        MemorySegment mad = CmWriter.rep(reply, ids(transaction), core.device, parameters.qpType);
        parameters.reply(reply);
        core.enter(this, step.next());
        core.tables.addLocalQpn(this, reply.qpn());
        exchange.sendRepeatedly(CmMessage.REP, mad, repeatNs);
    }

    /**
     * Confirms a connection. Corresponds to {@code ib_send_cm_rtu}. The queue pair should be in RTS.
     *
     * @param privateData up to 224 bytes
     */
    public void sendRtu(MemorySegment privateData) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_RTU);
        MemorySegment mad = CmWriter.rtu(ids(transaction), privateData);
        core.enter(this, step.next());
        exchange.sendAnswer(CmMessage.RTU, mad);
    }

    /**
     * Rejects or gives up a connection that is not established. Corresponds to {@code ib_send_cm_rej}.
     *
     * @param reason why
     * @param info additional information, such as an acceptable value: up to 72 bytes
     * @param privateData up to 148 bytes
     */
    public void sendRej(RejectReason reason, MemorySegment info, MemorySegment privateData) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_REJ);
        exchange.reject(reason, info, privateData);
        core.enter(this, step.next());
        core.deliver();
    }

    /**
     * Asks the peer for more time to answer its REQ, REP or LAP. Corresponds to {@code ib_send_cm_mra}.
     *
     * @param serviceTimeout time until the answer: 5 bits, exponent of 4.096 µs
     * @param isDelayed true to send the message only when the peer repeats its own ({@code IB_CM_MRA_FLAG_DELAY})
     * @param privateData up to 222 bytes
     */
    public void sendMra(int serviceTimeout, boolean isDelayed, MemorySegment privateData) {
        if (state == CmState.ESTABLISHED) {
            CmStateTable.LapStep step = CmStateTable.lapCall(state, lapState, CmTrigger.SEND_MRA);
            exchange.keepAnswer(CmMessage.MRA, CmWriter.mra(ids(lapTransaction), 2, serviceTimeout, privateData));
            lapState = step.next();
        } else {
            CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_MRA);
            int message = state == CmState.REQ_RCVD ? 0 : 1;
            exchange.keepAnswer(CmMessage.MRA, CmWriter.mra(ids(transaction), message, serviceTimeout, privateData));
            core.enter(this, step.next());
        }
        if (!isDelayed) {
            exchange.repeatAnswer();
        }
    }

    /**
     * Tells that a packet of the peer has arrived on the queue pair, which means that the peer has received the REP.
     * Corresponds to {@code ib_cm_notify} with {@code IB_EVENT_COMM_EST}.
     *
     * @throws RdmaException EISCONN if the connection is established already
     */
    public void establish() {
        if (state == CmState.ESTABLISHED) {
            throw new RdmaException(Errno.EISCONN, "the connection is in state ESTABLISHED already");
        }
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.COMM_EST);
        core.enter(this, step.next());
        core.report(this, new CmEvent.UserEstablished());
        core.deliver();
    }

    /**
     * Disconnects. Corresponds to {@code ib_send_cm_dreq}.
     *
     * @param privateData up to 220 bytes
     */
    public void sendDreq(MemorySegment privateData) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_DREQ);
        MemorySegment mad = dreq(privateData);
        core.enter(this, step.next());
        exchange.sendRepeatedly(CmMessage.DREQ, mad, repeatNs);
    }

    private MemorySegment dreq(MemorySegment privateData) {
        return CmWriter.dreq(ids(core.transaction(localId)), connection().remoteQpn, privateData);
    }

    /** Disconnects a connection whose peer has begun another one with the same queue pair. */
    void disconnectStale() {
        if (state == CmState.ESTABLISHED) {
            sendDreq(MemorySegment.NULL);
        }
    }

    /**
     * Answers the DREQ of the peer. Corresponds to {@code ib_send_cm_drep}.
     *
     * @param privateData up to 224 bytes
     */
    public void sendDrep(MemorySegment privateData) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_DREP);
        MemorySegment mad = CmWriter.drep(ids(dreqTransaction), privateData);
        core.enter(this, step.next());
        exchange.sendAnswer(CmMessage.DREP, mad);
        core.deliver();
    }

    /**
     * Asks the peer to load an alternate path. Corresponds to {@code ib_send_cm_lap}.
     *
     * @param alternate with the P_Key and the MTU of the primary path
     * @param privateData up to 168 bytes
     */
    public void sendLap(CmPath alternate, MemorySegment privateData) {
        CmStateTable.LapStep step = CmStateTable.lapCall(state, lapState, CmTrigger.SEND_LAP);
        lapTransaction = core.newTransaction();
        MemorySegment mad = CmWriter.lap(ids(lapTransaction), connection(), alternate, responseTimeout, privateData);
        proposedPath = alternate;
        lapState = step.next();
        exchange.sendRepeatedly(
                CmMessage.LAP, mad, core.timeoutNs(responseTimeout) + 2 * core.timeoutNs(alternate.packetLifetime()));
    }

    /**
     * Answers the LAP of the peer. Corresponds to {@code ib_send_cm_apr}.
     *
     * @param status success if the queue pair has the alternate path; {@link #initQpAttributes} has it then, too
     * @param info additional information about a rejection, up to 72 bytes
     * @param privateData up to 148 bytes
     */
    public void sendApr(AlternatePathStatus status, MemorySegment info, MemorySegment privateData) {
        CmStateTable.LapStep step = CmStateTable.lapCall(state, lapState, CmTrigger.SEND_APR);
        MemorySegment mad = CmWriter.apr(ids(lapTransaction), status, info, privateData);
        lapState = step.next();
        if (status == AlternatePathStatus.SUCCESS) {
            connection().alternatePath = proposedPath;
        }
        exchange.sendAnswer(CmMessage.APR, mad);
    }

    /**
     * Tells that the queue pair has migrated to the alternate path. Corresponds to {@code ib_cm_notify} with
     * {@code IB_EVENT_PATH_MIG}.
     *
     * @throws RdmaException EINVAL without alternate path
     */
    public void pathMigrated() {
        CmStateTable.LapStep step = CmStateTable.lapCall(state, lapState, CmTrigger.PATH_MIG);
        ConnectionParameters parameters = connection();
        CmPath alternate = parameters.alternatePath;
        if (alternate == null) {
            throw new RdmaException(Errno.EINVAL, "the connection has no alternate path");
        }
        lapState = step.next();
        parameters.path = alternate;
        parameters.alternatePath = null;
        address = alternate.address();
    }

    /**
     * Asks for the queue pair of a datagram service. Corresponds to {@code ib_send_cm_sidr_req}.
     *
     * @param request the contents
     */
    public void sendSidrReq(SidrReqParameters request) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_SIDR_REQ);
        transaction = core.transaction(localId);
        MemorySegment mad = CmWriter.sidrReq(request, ids(transaction));
        address = request.path().address();
        serviceId = request.serviceId();
        maxCmRetries = request.maxCmRetries();
        core.enter(this, step.next());
        exchange.sendRepeatedly(CmMessage.SIDR_REQ, mad, core.timeoutNs(request.responseTimeout()));
    }

    /**
     * Answers a SIDR request. Corresponds to {@code ib_send_cm_sidr_rep}.
     *
     * @param reply the contents
     */
    public void sendSidrRep(SidrRepParameters reply) {
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.SEND_SIDR_REP);
        MemorySegment mad = CmWriter.sidrRep(reply, ids(transaction), serviceId);
        exchange.send(CmMessage.SIDR_REP, mad);
        core.keepSidrAnswer(sidrKey(), mad);
        core.enter(this, step.next());
    }

    CmTables.SidrKey sidrKey() {
        return CmTables.SidrKey.of(remoteId, address(), serviceId);
    }

    /**
     * {@return the attributes for the transition of the queue pair to a state} Corresponds to
     * {@code ib_cm_init_qp_attr}. After a change of the alternate path the attributes for RTS contain only that path.
     * Before its REP the passive side has {@code rq_psn} 0: the caller sets the PSN that its REP will contain.
     *
     * @param next INIT, RTR or RTS
     * @throws RdmaException EINVAL if the exchanged messages do not tell the attributes yet, or no longer
     */
    public QpAttributes initQpAttributes(QpState next) {
        if (!ConnectionParameters.hasAttributes(next, state)) {
            throw new RdmaException(Errno.EINVAL, "attributes for " + next + " in state " + state);
        }
        return connection().attributes(next, lapState);
    }

    /**
     * Ends what the id does, in the way that its state demands: rejects a request, disconnects a connection. Events no
     * longer come. Corresponds to {@code ib_destroy_cm_id}. Does nothing if it is destroyed already.
     */
    public void destroy() {
        if (isDestroyed) {
            return;
        }
        isDestroyed = true;
        CmStateTable.Step step = CmStateTable.call(state, CmTrigger.DESTROY);
        switch (step.action()) {
            case REJECT_TIMEOUT -> exchange.giveUp();
            case REJECT_CONSUMER ->
                exchange.reject(RejectReason.CONSUMER_DEFINED, MemorySegment.NULL, MemorySegment.NULL);
            case DISCONNECT -> {
                if (connection().qpType != QpType.XRC_TGT) {
                    exchange.send(CmMessage.DREQ, dreq(MemorySegment.NULL));
                }
            }
            case ANSWER_DREQ ->
                exchange.sendAnswer(CmMessage.DREP, CmWriter.drep(ids(dreqTransaction), MemorySegment.NULL));
            case REJECT_SIDR -> sendSidrRep(SidrRepParameters.failure(SidrStatus.REJECT, MemorySegment.NULL));
            default -> {}
        }
        if (state == CmState.LISTEN) {
            core.tables.removeListener(this);
        }
        core.enter(this, step.next());
        if (state != CmState.TIMEWAIT) {
            core.tables.release(this);
        }
        core.deliver();
    }

    /**
     * Destroys the id of a request without an answer, as if the request had not arrived: the peer repeats it. For a
     * program without room for the request.
     */
    public void discard() {
        if (!isDestroyed && (state == CmState.REQ_RCVD || state == CmState.SIDR_REQ_RCVD)) {
            isDestroyed = true;
            core.enter(this, CmState.IDLE);
            core.tables.release(this);
        }
    }

    /** Duration of the time-wait. */
    long timeWaitNs() {
        return core.timeoutNs(connection().ackTimeout);
    }

    MessageIds ids(long transactionId) {
        return new MessageIds(localId, remoteId, transactionId);
    }

    /** After the end of a connection the id may be used again. */
    void forgetPeer() {
        remoteId = 0;
        remoteGuid = 0;
        lapState = LapState.LAP_UNINIT;
        connection = null;
        proposedPath = null;
        exchange.forgetAnswer();
    }

    @Override
    public String toString() {
        return String.format("CmId %08x, %s, peer %08x", localId, state, remoteId);
    }
}
