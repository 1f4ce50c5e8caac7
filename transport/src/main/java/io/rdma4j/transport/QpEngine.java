package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Psn;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.RetryTimers.Timer;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.AlternatePath;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A queue pair of a transport service: what it was made as, and references to those that do the work.
 *
 * <p>Sans-IO: a device's port loop, one thread at a time, calls the {@code on…} and {@code poll…} methods and must then
 * look at {@link #nextDeadlineNs} again; packets leave through the {@link QpPort}. After any {@code on…} call the
 * engine may have something to send: call {@link #pollTransmit} until it returns false. Calls that turn out to be
 * spurious do no harm. Only {@link #state()} may be read by other threads. No method allocates, but {@link #modify},
 * {@link #query} and whatever moves the connection to its alternate path.
 */
public final class QpEngine extends Engine {
    private final Object protectionDomain;
    private final QpType type;
    private final TransportClass service;
    private final boolean signalsAll;
    private final boolean sendsLarge;
    private final boolean agreesOnMaskedAtomics;
    private final SendQueue sendQueue;
    private final QpPort port;

    private final Connection connection;
    private final SendWindow window;
    private final SendCredits credits = new SendCredits();
    private final OutstandingReads reads = new OutstandingReads();
    private final RetryTimers timers = new RetryTimers();
    private final LocalOperations local;
    private final PathMigration migration = new PathMigration(this);
    private final RateLimiter rateLimiter;
    private final CongestionNotifier notifier;
    private final Requester requester;
    private final Responder responder;
    private final Completer completer;

    private boolean drainEventWanted;
    private boolean established;

    /**
     * A queue pair in RESET.
     *
     * @param qpn 24 bits
     * @param attributes as the core checked them: type, signalling and create flags count, objects and sizes do not
     * @param protectionDomain whose memory it may use
     * @param queues the rings, whose client ends the application holds
     * @param context of the device
     * @param port where its packets go
     */
    public QpEngine(
            int qpn,
            QpInitAttributes attributes,
            Object protectionDomain,
            QpQueues queues,
            TransportContext context,
            QpPort port) {
        super(qpn, context, port);
        this.type = attributes.type();
        this.service = serviceOf(type);
        this.protectionDomain = protectionDomain;
        this.signalsAll = attributes.signalType() == SignalType.ALL_WR;
        this.sendsLarge = attributes.createFlags().contains(QpCreateFlag.IPOIB_UD_LSO);
        this.agreesOnMaskedAtomics = attributes.createFlags().contains(QpCreateFlag.MASKED_ATOMICS);
        this.sendQueue = queues.sendQueue();
        this.port = port;
        this.connection = new Connection(port, service == TransportClass.UD);
        this.window = new SendWindow(sendQueue);
        this.local = new LocalOperations(context.keys(), protectionDomain, this);
        this.rateLimiter = new RateLimiter(context, timers);
        this.notifier = new CongestionNotifier(this);
        this.requester = new Requester(this, window, credits, reads, timers);
        this.responder = new Responder(this, queues.source(protectionDomain));
        this.completer = new Completer(this, window, credits, reads, timers, queues.sendCompletions());
    }

    private static TransportClass serviceOf(QpType type) {
        return switch (type) {
            case RC -> TransportClass.RC;
            case UC -> TransportClass.UC;
            case UD, GSI, SMI -> TransportClass.UD;
            case XRC_INI, XRC_TGT -> TransportClass.XRC;
            default -> throw new RdmaException(Errno.EOPNOTSUPP, "queue pairs of type " + type + " have no transport");
        };
    }

    /**
     * A packet for this queue pair arrived; the buffer stays the caller's.
     *
     * @param packet what {@link PacketContext#parse} has read
     * @param nowNs of the port's clock
     */
    public void onPacket(PacketContext packet, long nowNs) {
        if (packet.opcode == Opcode.CNP && service != TransportClass.UD) {
            rateLimiter.onNotification(nowNs);
        } else if (packet.opcode.transport() != service || !migration.admits(packet)) {
            context().counters().droppedPackets++;
        } else {
            notifier.onPacket(packet, nowNs);
            dispatch(packet, nowNs);
        }
    }

    private void dispatch(PacketContext packet, long nowNs) {
        if (packet.opcode.isRequest() && type != QpType.XRC_INI) {
            responder.onRequest(packet);
        } else if (packet.opcode.isResponse() && type != QpType.XRC_TGT) {
            completer.onResponse(packet, nowNs);
        } else {
            context().counters().droppedPackets++;
        }
    }

    @Override
    public void onTimeout(long nowNs) {
        if (timers.takeIfDue(Timer.RETRANSMIT, nowNs)) {
            completer.onRetransmitTimeout(nowNs);
        }
        // The RNR timer only holds the requester back: that it is no longer armed is all that has to happen.
        timers.takeIfDue(Timer.RNR, nowNs);
        rateLimiter.onTimeout(nowNs);
    }

    @Override
    public long nextDeadlineNs() {
        return timers.nextDeadlineNs();
    }

    /**
     * Sends what is due: an answer to the peer first, then requests, up to {@code budget} packets (a little more if a train
     * is whole).
     *
     * @return true if the budget was used up: there may be more to send now
     */
    @Override
    public boolean pollTransmit(long nowNs, int budget) {
        flush();
        int left = budget - notifier.send(nowNs);
        // Answers before requests, but no more than half of the budget before requests had their turn. A mere
        // acknowledgement goes
        // behind them: a device can send a short packet after long ones with one call, but not before them.
        if (!responder.owesAcknowledgementOnly()) {
            left -= sendAnswers((left + 1) / 2, nowNs);
        }
        int sent = 1;
        while (left > 0 && sendsRequests() && sent > 0) {
            sent = requester.send(nowNs, left);
            left -= sent;
        }
        left -= sendAnswers(Math.max(left, 1), nowNs);
        return left <= 0;
    }

    private int sendAnswers(int budget, long nowNs) {
        int left = budget;
        int sent = 1;
        while (left > 0 && sent > 0) {
            sent = responder.send(left, nowNs);
            left -= sent;
        }
        return budget - left;
    }

    /**
     * {@inheritDoc}
     *
     * @throws RdmaException EINVAL also if the queue pair drains and shall do something else, or for a state of path migration
     *     that cannot be set now
     */
    @Override
    public void check(QpAttributes changes) {
        super.check(changes);
        if (isDraining() && changes.has(QpAttribute.STATE) && !Engine.endsWork(changes)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "queue pair " + qpn() + " is draining: until SQ_DRAINED it goes to RESET or ERR, not to "
                            + changes.state());
        }
        migration.check(changes, attributes().has(QpAttribute.ALT_PATH) || changes.has(QpAttribute.ALT_PATH));
    }

    @Override
    void apply(QpAttributes changes) {
        connection.apply(changes);
        AddressVector path = changes.addressVector();
        if (path != null) {
            rateLimiter.path(path.staticRate());
        }
        applySends(changes);
        applyReceives(changes);
        if (changes.has(QpAttribute.PATH_MIG_STATE)) {
            migration.set(changes.migrationState());
        }
    }

    private void applySends(QpAttributes changes) {
        if (changes.has(QpAttribute.MAX_QP_RD_ATOMIC)) {
            reads.resize(changes.maxRdAtomic());
        }
        if (window.pathMtu() != connection.pathMtuBytes()) {
            window.pathMtu(connection.pathMtuBytes());
        }
        if (connection.ackTimeoutNs() == 0) {
            timers.cancel(Timer.RETRANSMIT);
        }
        if (changes.has(QpAttribute.RETRY_CNT) || changes.has(QpAttribute.RNR_RETRY)) {
            completer.onRetryLimitsChanged();
        }
        if (changes.has(QpAttribute.SQ_PSN)) {
            window.startAt(Psn.of(changes.sqPsn()));
        }
        if (changes.has(QpAttribute.EN_SQD_ASYNC_NOTIFY)) {
            drainEventWanted = changes.sqdAsyncNotify();
        }
    }

    private void applyReceives(QpAttributes changes) {
        if (changes.has(QpAttribute.MAX_DEST_RD_ATOMIC)) {
            responder.maxReadsAndAtomics(changes.maxDestRdAtomic());
        }
        if (changes.has(QpAttribute.RQ_PSN)) {
            responder.startAt(Psn.of(changes.rqPsn()));
        }
    }

    @Override
    void forget() {
        established = false;
        drainEventWanted = false;
        timers.cancelAll();
        rateLimiter.reset();
        notifier.reset();
        window.reset();
        credits.reset();
        reads.clear();
        connection.reset();
        migration.reset();
        requester.reset();
        responder.reset();
    }

    /** The alternate path becomes the primary one, with all that belongs to it; what is unacknowledged is sent again in its time. */
    void takeAlternatePath() {
        AlternatePath path = Objects.requireNonNull(attributes().alternatePath(), "armed without an alternate path");
        QpAttributes primary = QpAttributes.builder()
                .addressVector(path.addressVector())
                .port(path.port())
                .pkeyIndex(path.pkeyIndex())
                .timeout(path.timeout())
                .build();
        change(primary);
        port.migrate();
        port.event(EventType.PATH_MIG);
    }

    /**
     * {@return true if a packet with MigReq may come over another path than the primary one, see
     * {@link PathMigration#admits}}
     */
    public boolean awaitsMigration() {
        return !migration.isRequested();
    }

    PathMigration migration() {
        return migration;
    }

    @Override
    public void breakDown() {
        if (sendsRequests()) {
            completer.breakDown();
        }
        if (state() != QpState.RESET) {
            enterError();
        }
    }

    @Override
    void onError() {
        timers.cancelAll();
        rateLimiter.reset();
        notifier.reset();
    }

    @Override
    void flushSends() {
        completer.flush();
    }

    @Override
    void flushReceives() {
        responder.flush();
    }

    @Override
    void onFlushed() {
        responder.onError();
    }

    /** The first packet of the peer arrived before the application knew the connection to stand (IBA 11.6.3.2). */
    void establish() {
        if (!established) {
            established = true;
            port.event(EventType.COMM_EST);
        }
    }

    /** A draining queue is drained when no request that was begun is left. */
    @Override
    void onRequestsCompleted() {
        if (state() == QpState.SQD && drainEventWanted && !window.hasStarted()) {
            drainEventWanted = false;
            port.event(EventType.SQ_DRAINED);
        }
    }

    /** A request was carried out that nobody answers: it completes in its turn, perhaps now. */
    void onLocalRequestDone() {
        completer.completeAcknowledged();
    }

    /** Packets of an unreliable service are out of this host's memory. */
    void onPacketsLeft(int count) {
        completer.onPacketsLeft(count);
        if (window.hasCurrent()) {
            port.sendable();
        }
    }

    /** An answer cannot be given: the memory that it comes from is gone. */
    void breakOff(Verdict verdict) {
        responder.breakOff(verdict);
    }

    /** The request at the requester's hand cannot be carried out. */
    void failCurrentRequest(WcStatus status) {
        completer.failCurrent(status);
    }

    @Override
    public QpAttributes query() {
        return super.query().toBuilder()
                .sqPsn(window.psn())
                .rqPsn(responder.expectedPsn())
                .migrationState(migration.state())
                .sqDraining(isDraining())
                .build();
    }

    /** True if requests that were begun are still to be finished before the send queue rests (IBA 10.3.1.5). */
    private boolean isDraining() {
        return state() == QpState.SQD && window.hasStarted();
    }

    /** The attributes that are read for every packet. */
    Connection connection() {
        return connection;
    }

    /** How fast it may send. */
    RateLimiter rateLimiter() {
        return rateLimiter;
    }

    QpPort port() {
        return port;
    }

    MemoryKeys keys() {
        return context().keys();
    }

    Trace trace() {
        return context().trace();
    }

    LocalOperations local() {
        return local;
    }

    TransportCounters counters() {
        return context().counters();
    }

    QpType type() {
        return type;
    }

    /** {@return which of the services of the transport it gives: packets of others are not for it} */
    public TransportClass service() {
        return service;
    }

    /** Native memory of one cache line for whoever holds the loop, for the time of one call. */
    MemorySegment scratch() {
        return context().scratch();
    }

    Object protectionDomain() {
        return protectionDomain;
    }

    SendQueue sendQueue() {
        return sendQueue;
    }

    boolean signalsAll() {
        return signalsAll;
    }

    /** True if large sends may be posted. */
    boolean sendsLarge() {
        return sendsLarge;
    }

    /** True if the application said that the peer is one of us and they may be used in both directions. */
    boolean agreesOnMaskedAtomics() {
        return agreesOnMaskedAtomics;
    }

    TransportOptions options() {
        return context().options();
    }
}
