// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.CmPath;
import io.rdma4j.cm.CmState;
import io.rdma4j.cm.Ece;
import io.rdma4j.cm.RepParameters;
import io.rdma4j.cm.ReqParameters;
import io.rdma4j.cm.SidrRepParameters;
import io.rdma4j.cm.SidrReqParameters;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.RdmaCmHeader;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/** The exchange of messages of an id, and what it means for the queue pair. With the lock of rdma_cm. */
final class IdConnection {
    /** {@code RDMA_UDP_QKEY}. */
    static final int QKEY = 0x0123_4567;

    private static final int REQ_DATA = 56;
    private static final int SIDR_REQ_DATA = 180;
    private static final int REP_DATA = 196;
    private static final int SIDR_REP_DATA = 136;
    private static final int REJ_DATA = 148;
    /** About 69 s. */
    private static final int SERVICE_TIMEOUT = 24;

    private static final int PORT_FACTOR = 31;
    private static final int FLOW_LABEL_MASK = 0xF_FFFF;
    private static final int DEFAULT_PKEY = 0xFFFF;
    private static final EnumSet<CmState> REQUESTED = EnumSet.of(CmState.REQ_RCVD, CmState.MRA_REQ_SENT);

    private final IdView id;
    private @Nullable CmId cmId;
    private @Nullable CmPath path;
    /** The path after a migration. */
    private @Nullable CmPath alternatePath;
    /** Options of the vendor that this end and the peer have told each other. */
    private Ece localEce = Ece.NONE;

    private Ece remoteEce = Ece.NONE;
    /** What the peer asks for, at the passive side. */
    private @Nullable ConnectParameters request;

    private int responderResources;
    private int initiatorDepth;
    /** First PSN that the passive side receives: that of the REQ, which it also sends first, as Linux does. */
    private int replyPsn = -1;

    IdConnection(IdView id) {
        this.id = id;
    }

    private CmId cmId() {
        if (cmId == null) {
            throw IdErrors.invalid(id + " has exchanged no messages with a peer");
        }
        return cmId;
    }

    private CmPath path() {
        if (path == null) {
            throw IdErrors.invalid(id + " has no path");
        }
        return path;
    }

    @Nullable
    CmPath knownPath() {
        return path;
    }

    /** The program knows the path. */
    void setPath(CmPath primary, @Nullable CmPath alternate) {
        checkPath(primary);
        if (alternate != null) {
            checkPath(alternate);
            if (alternate.mtu() != primary.mtu() || alternate.pkey() != primary.pkey()) {
                throw IdErrors.invalid("the alternate path " + alternate + " has another MTU or P_Key than " + primary);
            }
        }
        path = primary;
        alternatePath = alternate;
    }

    private void checkPath(CmPath wanted) {
        LocalDevice device = id.requireDevice();
        GlobalRoute route = wanted.addressVector().route();
        if (route == null
                || wanted.addressVector().port() != device.port()
                || device.gidIndex(wanted.sourceGid()) != route.sourceGidIndex()) {
            throw IdErrors.invalid(
                    "the path " + wanted + " does not begin at port " + device.port() + " of " + device.name());
        }
        if (wanted.mtu().compareTo(device.pathMtu()) > 0) {
            throw IdErrors.invalid("MTU " + wanted.mtu() + " of the path; the port can " + device.pathMtu());
        }
    }

    void setLocalEce(Ece options) {
        localEce = options;
    }

    Ece remoteEce() {
        return remoteEce;
    }

    /** The path of RoCE follows from the addresses. */
    void makePath(int hopLimit) {
        LocalDevice device = id.requireDevice();
        int gidIndex = device.gidIndex(id.localGid);
        if (gidIndex < 0) {
            throw new RdmaException(Errno.ENODEV, device.name() + " has lost the address of " + id);
        }
        int flowLabel = (id.localPort * PORT_FACTOR + id.peerPort) & FLOW_LABEL_MASK;
        GlobalRoute route = new GlobalRoute(id.peerGid, flowLabel, gidIndex, hopLimit, id.options.typeOfService());
        path = new CmPath(
                AddressVector.global(device.port(), route),
                id.localGid,
                0,
                DEFAULT_PKEY,
                0,
                device.pathMtu(),
                id.options.packetLifetime());
    }

    /** The subnet administrator knows the path. */
    void foundPath(CmPath found) {
        path = id.options.ackTimeout() == 0 ? found : found.withPacketLifetime(id.options.packetLifetime());
    }

    /** The states of a new queue pair: INIT for connections, RTS for datagrams. */
    void initialize(ManagedQp qp) {
        LocalDevice device = id.requireDevice();
        QpAttributes.Builder init = QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(device.pkeyIndex(id.localGid))
                .port(device.port());
        if (qp.type() != QpType.UD) {
            qp.modify(init.accessFlags(EnumSet.noneOf(AccessFlag.class)).build());
            return;
        }
        qp.modify(init.qkey(QKEY).build());
        qp.modify(QpAttributes.builder().state(QpState.RTR).build());
        qp.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(0).build());
    }

    QpAttributes initQpAttributes(QpState next) {
        LocalDevice device = id.requireDevice();
        QpAttributes.Builder attributes = QpAttributes.builder().state(next);
        if (id.isDatagram()) {
            return switch (next) {
                case INIT ->
                    attributes
                            .pkeyIndex(device.pkeyIndex(id.localGid))
                            .port(device.port())
                            .qkey(QKEY)
                            .build();
                case RTR -> attributes.build();
                case RTS -> attributes.sqPsn(0).build();
                default -> throw IdErrors.invalid("attributes exist for INIT, RTR and RTS, not for " + next);
            };
        }
        if (cmId != null) {
            return limited(cmId.initQpAttributes(next));
        }
        if (next != QpState.INIT) {
            throw IdErrors.invalid("attributes for " + next + " before " + id + " is connected");
        }
        return attributes
                .pkeyIndex(device.pkeyIndex(id.localGid))
                .port(device.port())
                .accessFlags(EnumSet.noneOf(AccessFlag.class))
                .build();
    }

    /** No more READs than this end has told the peer. */
    private QpAttributes limited(QpAttributes attributes) {
        QpAttributes.Builder builder = attributes.toBuilder();
        if (attributes.has(QpAttribute.MAX_DEST_RD_ATOMIC)) {
            builder.maxDestRdAtomic(Math.min(attributes.maxDestRdAtomic(), responderResources));
        }
        if (attributes.has(QpAttribute.MAX_QP_RD_ATOMIC)) {
            builder.maxRdAtomic(Math.min(attributes.maxRdAtomic(), initiatorDepth));
        }
        if (replyPsn >= 0 && attributes.has(QpAttribute.RQ_PSN)) {
            builder.rqPsn(replyPsn);
        }
        return builder.build();
    }

    private static void checkLength(MemorySegment data, int max) {
        if (data.byteSize() > max) {
            throw IdErrors.invalid(data.byteSize() + " bytes of private data; at most " + max + " fit");
        }
    }

    private void setResources(ConnectParameters parameters) {
        LocalDevice device = id.requireDevice();
        responderResources =
                resources("responder_resources", parameters.responderResources(), device.maxResponderResources());
        initiatorDepth = resources("initiator_depth", parameters.initiatorDepth(), device.maxInitiatorDepth());
    }

    private static int resources(String name, int value, int max) {
        int limit = Math.min(max, ConnectParameters.MAXIMUM - 1);
        if (value != ConnectParameters.MAXIMUM && value > limit) {
            throw IdErrors.invalid(name + " " + value + "; the device can " + limit);
        }
        return value == ConnectParameters.MAXIMUM ? limit : value;
    }

    // The active side

    void connect(ConnectParameters parameters) {
        boolean isDatagram = id.isDatagram();
        MemorySegment data = parameters.privateData();
        checkLength(data, isDatagram ? SIDR_REQ_DATA : REQ_DATA);
        byte[] bytes = new byte[RdmaCmHeader.BYTES + (int) data.byteSize()];
        MemorySegment withHeader = MemorySegment.ofArray(bytes);
        RdmaCmHeader.write(withHeader, 0, id.localPort, id.localGid, id.peerGid);
        withHeader.asSlice(RdmaCmHeader.BYTES).copyFrom(data);
        if (!isDatagram) {
            setResources(parameters);
        }
        CmId created = id.requireDevice().call(cm -> cm.createId((_, event) -> received(event)));
        try {
            if (isDatagram) {
                RdmaCmOptions options = id.managerOptions();
                created.sendSidrReq(new SidrReqParameters(
                        path(),
                        id.portSpace().serviceId(id.peerPort),
                        options.responseTimeout(),
                        options.maxCmRetries(),
                        withHeader));
            } else {
                created.sendReq(request(parameters, withHeader));
            }
        } catch (RdmaException e) {
            created.destroy();
            throw e;
        }
        cmId = created;
    }

    private ReqParameters request(ConnectParameters parameters, MemorySegment data) {
        ManagedQp qp = id.qp;
        RdmaCmOptions options = id.managerOptions();
        ReqParameters.Builder request = ReqParameters.builder(
                        path(), id.portSpace().serviceId(id.peerPort))
                .queuePair(qp == null ? id.qpType() : qp.type(), qp == null ? parameters.qpn() : qp.qpn(), id.newPsn())
                .resources(responderResources, initiatorDepth)
                .retryCounts(parameters.retryCount(), parameters.rnrRetryCount())
                .responseTimeouts(options.responseTimeout(), options.responseTimeout(), options.maxCmRetries())
                .receiveQueue(parameters.flowControl(), qp == null ? parameters.srq() : qp.hasSrq())
                .ece(localEce)
                .privateData(data);
        if (alternatePath != null) {
            request.alternatePath(alternatePath);
        }
        return request.build();
    }

    private void replied(CmEvent.RepReceived reply) {
        remoteEce = reply.ece();
        EventDetails details = EventDetails.of(new ConnectParameters(
                reply.privateData(),
                reply.responderResources(),
                reply.initiatorDepth(),
                reply.flowControl(),
                0,
                reply.rnrRetryCount(),
                reply.srq(),
                reply.remoteQpn()));
        ManagedQp qp = id.qp;
        if (qp == null) {
            cmId().sendMra(SERVICE_TIMEOUT, true, MemorySegment.NULL);
            id.post(ConnectionEventType.CONNECT_RESPONSE, 0, details);
            return;
        }
        try {
            toReadyToSend(qp);
            cmId().sendRtu(MemorySegment.NULL);
            id.post(ConnectionEventType.ESTABLISHED, 0, details);
        } catch (RdmaException e) {
            fail(qp);
            cmId().sendRej(RejectReason.CONSUMER_DEFINED, MemorySegment.NULL, MemorySegment.NULL);
            id.post(ConnectionEventType.CONNECT_ERROR, -e.errno().code());
        }
    }

    private void toReadyToSend(ManagedQp qp) {
        for (QpState next : new QpState[] {QpState.INIT, QpState.RTR, QpState.RTS}) {
            qp.modify(limited(cmId().initQpAttributes(next)));
        }
    }

    private static void fail(@Nullable ManagedQp qp) {
        if (qp != null) {
            try {
                qp.fail();
            } catch (RdmaException e) {
                // The device or the queue pair is gone: nothing is left to end.
                System.getLogger(IdConnection.class.getName()).log(System.Logger.Level.DEBUG, "no ERR", e);
            }
        }
    }

    void establish() {
        CmId exchange = cmId();
        exchange.sendRtu(MemorySegment.NULL);
    }

    private void resolved(CmEvent.SidrRepReceived reply) {
        remoteEce = reply.ece();
        EventDetails details = EventDetails.of(
                new DatagramPeer(path().packetVector(), reply.qpn(), reply.qkey()), reply.privateData(), null);
        if (reply.code() != SidrStatus.SUCCESS.code()) {
            id.post(ConnectionEventType.UNREACHABLE, reply.code(), EventDetails.of(reply.privateData()));
        } else if (reply.qkey() == 0) {
            id.post(ConnectionEventType.ADDR_ERROR, -Errno.EINVAL.code());
        } else {
            id.post(ConnectionEventType.ESTABLISHED, 0, details);
        }
    }

    // The passive side

    /** A request of a peer has made the id. Returns the contents of its event. */
    EventDetails requested(CmId child, CmEvent event, MemorySegment data) {
        cmId = child;
        child.setHandler((_, next) -> received(next));
        MemorySegment own = data.asSlice(RdmaCmHeader.BYTES);
        if (!(event instanceof CmEvent.ReqReceived req)) {
            return EventDetails.of(own);
        }
        path = req.path();
        alternatePath = req.alternatePath();
        remoteEce = req.ece();
        ConnectParameters parameters = new ConnectParameters(
                own,
                req.responderResources(),
                req.initiatorDepth(),
                req.flowControl(),
                req.retryCount(),
                req.rnrRetryCount(),
                req.srq(),
                req.remoteQpn());
        request = parameters;
        replyPsn = req.startingPsn();
        // The defaults for a program that asks for attributes before it accepts.
        responderResources = parameters.responderResources();
        initiatorDepth = parameters.initiatorDepth();
        child.sendMra(SERVICE_TIMEOUT, true, MemorySegment.NULL);
        return EventDetails.of(parameters);
    }

    void accept(ConnectParameters parameters) {
        CmId exchange = cmId();
        ManagedQp qp = id.qp;
        int qpn = qp == null ? parameters.qpn() : qp.qpn();
        if (id.isDatagram()) {
            checkLength(parameters.privateData(), SIDR_REP_DATA);
            exchange.sendSidrRep(new SidrRepParameters(
                    SidrStatus.SUCCESS, qpn, QKEY, MemorySegment.NULL, localEce, parameters.privateData()));
            return;
        }
        checkLength(parameters.privateData(), REP_DATA);
        ConnectParameters asked = request;
        if (asked == null || !REQUESTED.contains(exchange.state())) {
            throw IdErrors.invalid(id + " has no request to accept; " + exchange);
        }
        setResources(parameters);
        if (parameters.responderResources() == ConnectParameters.MAXIMUM) {
            responderResources = Math.min(responderResources, asked.responderResources());
        }
        if (parameters.initiatorDepth() == ConnectParameters.MAXIMUM) {
            initiatorDepth = Math.min(initiatorDepth, asked.initiatorDepth());
        }
        if (qp != null) {
            toReadyToSend(qp);
        }
        try {
            exchange.sendRep(new RepParameters(
                    qpn,
                    replyPsn,
                    responderResources,
                    initiatorDepth,
                    0,
                    parameters.flowControl(),
                    parameters.rnrRetryCount(),
                    qp == null ? parameters.srq() : qp.hasSrq(),
                    localEce,
                    parameters.privateData()));
        } catch (RdmaException e) {
            fail(qp);
            exchange.sendRej(RejectReason.CONSUMER_DEFINED, MemorySegment.NULL, MemorySegment.NULL);
            throw e;
        }
    }

    void reject(RejectReason reason, MemorySegment privateData) {
        CmId exchange = cmId();
        if (id.isDatagram()) {
            checkLength(privateData, SIDR_REP_DATA);
            exchange.sendSidrRep(SidrRepParameters.failure(SidrStatus.REJECT, privateData));
        } else {
            checkLength(privateData, REJ_DATA);
            fail(id.qp);
            exchange.sendRej(reason, MemorySegment.NULL, privateData);
        }
    }

    void notifyEstablished() {
        cmId().establish();
    }

    void notifyPathMigrated() {
        cmId().pathMigrated();
    }

    /** COMM_EST or PATH_MIG of the queue pair of the id. */
    void happened(EventType event) {
        ManagedQp own = id.qp;
        if (own != null && cmId != null) {
            id.requireDevice().call(cm -> {
                if (event == EventType.COMM_EST) {
                    cm.commEst(own.qpn());
                } else {
                    cm.pathMigrated(own.qpn());
                }
                return true;
            });
        }
    }

    // Both sides

    private void received(CmEvent event) {
        if (event instanceof CmEvent.TimewaitExit) {
            if (id.step(RdmaIdTrigger.TIMEWAIT_OVER)) {
                id.post(ConnectionEventType.TIMEWAIT_EXIT, 0);
            }
            return;
        }
        if (!id.step(RdmaIdTrigger.MESSAGE)) {
            return;
        }
        switch (event) {
            case CmEvent.RepReceived reply -> replied(reply);
            case CmEvent.RtuReceived _, CmEvent.UserEstablished _ -> id.post(ConnectionEventType.ESTABLISHED, 0);
            case CmEvent.RejReceived rejection -> {
                fail(id.qp);
                id.post(ConnectionEventType.REJECTED, rejection.code(), EventDetails.of(rejection.privateData()));
            }
            case CmEvent.DreqReceived _, CmEvent.DrepReceived _ -> disconnected(0);
            case CmEvent.NoResponse silence -> unanswered(silence.message());
            case CmEvent.SidrRepReceived reply -> resolved(reply);
            default -> {}
        }
    }

    private void unanswered(CmMessage message) {
        if (message == CmMessage.DREQ) {
            disconnected(-Errno.ETIMEDOUT.code());
        } else {
            fail(id.qp);
            id.post(ConnectionEventType.UNREACHABLE, -Errno.ETIMEDOUT.code());
        }
    }

    private void disconnected(int status) {
        id.step(RdmaIdTrigger.DISCONNECTED);
        id.post(ConnectionEventType.DISCONNECTED, status);
    }

    void disconnect() {
        CmId exchange = cmId();
        if (id.isDatagram()) {
            return;
        }
        fail(id.qp);
        if (exchange.state() == CmState.ESTABLISHED) {
            exchange.sendDreq(MemorySegment.NULL);
        } else if (exchange.state() == CmState.DREQ_RCVD) {
            exchange.sendDrep(MemorySegment.NULL);
        }
    }

    void destroy() {
        if (cmId != null) {
            cmId.destroy();
        }
    }
}
