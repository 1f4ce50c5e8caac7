package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Psn;
import io.rdma4j.base.RdmaException;
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
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of a transport service: what it was made as, and references to those that do the work.
 *
 * <p>Sans-IO: a device's port loop, one thread at a time, calls the {@code on…} and {@code poll…} methods and must then
 * look at {@link #nextDeadlineNs} again; packets leave through the {@link QpPort}. After any {@code on…} call the
 * engine may have something to send: call {@link #pollTransmit} until it returns false. Calls that turn out to be
 * spurious do no harm. Only {@link #state()} may be read by other threads. No method allocates, but {@link #modify},
 * {@link #query}, whatever moves the connection to its alternate path, and what is first after RESET to give it work: it makes the
 * {@link Traffic}.
 */
public final class QpEngine extends Engine {
    /** A first packet may be behind so many that were lost. */
    private static final int MAX_FIRST_LOST = 4096;

    private final Object protectionDomain;
    private final QpType type;
    private final TransportClass service;
    private final boolean signalsAll;
    private final boolean sendsLarge;
    private final boolean agreesOnMaskedAtomics;
    private final QpQueues queues;
    private final QpPort port;
    private final Connection connection;
    private final PathMigration migration = new PathMigration(this);

    private boolean drainEventWanted;
    private boolean established;

    /** None while the queue pair has been idle since RESET. */
    private @Nullable Traffic traffic;

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
        this.queues = queues;
        this.port = port;
        this.connection = new Connection(port, service == TransportClass.UD);
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
        do {
            onMessage(packet, nowNs);
        } while (packet.nextMessage());
    }

    private void drop(PacketContext packet, String reason) {
        context().counters().droppedPackets++;
        trace().drop(qpn(), packet, reason);
    }

    private void onMessage(PacketContext packet, long nowNs) {
        if (packet.opcode == Opcode.CNP && service != TransportClass.UD) {
            onNotification(nowNs);
        } else if (traffic == null && !mayBeFirst(packet)) {
            drop(packet, "first packet");
        } else if (packet.opcode.transport() != service || !migration.admits(packet)) {
            drop(packet, "service or path");
        } else {
            traffic().onPacket(packet, nowNs);
        }
    }

    /** A queue pair that has sent nothing has no rate to take down. */
    private void onNotification(long nowNs) {
        if (traffic == null) {
            counters().ignoredCnps++;
        } else {
            traffic().onNotification(nowNs);
        }
    }

    /**
     * True if a packet may be the first since RESET: only such a one makes the {@link Traffic}, so forged packets that know neither
     * sequence number nor Q_Key take no memory. Some of the first packets may be lost; if more are, the peer sends them again.
     */
    private boolean mayBeFirst(PacketContext packet) {
        if (!state().servesRequests() || !packet.opcode.isRequest() || packet.opcode.transport() != service) {
            return false;
        }
        return switch (service) {
            case UD -> acceptsQueueKey(packet);
            case UC -> packet.opcode.startsMessage();
            default -> {
                int ahead = Psn.distance(packet.psn, attributes().rqPsn());
                yield ahead >= 0 && ahead < MAX_FIRST_LOST;
            }
        };
    }

    /** IBA 9.8.4, 10.2.5: a datagram must know this queue pair's key. */
    boolean acceptsQueueKey(PacketContext packet) {
        boolean accepted = Deth.qkey(packet.memory(), packet.at(Header.DETH)) == connection.qkey();
        if (!accepted) {
            counters().qkeyViolations++;
        }
        return accepted;
    }

    /**
     * The peer, which is of the same device, hands over its next message ({@link QpPort#handOver}).
     *
     * @param message read during the call only
     * @return false if it has to send packets instead
     */
    public boolean take(WholeMessage message) {
        return isPlain() && traffic().take(message);
    }

    /**
     * The peer, in another process, has handed over something.
     *
     * @param note what was read, of the connection's peer
     * @param open whether messages may be taken so; if not, the peer is told to send packets
     * @param nowNs of the port's clock
     */
    public void onNote(WholeMessage note, boolean open, long nowNs) {
        if (service == TransportClass.RC) {
            traffic().onNote(note, open && isPlain(), nowNs);
        } else {
            context().counters().droppedPackets++;
        }
    }

    /** True for connections of which nothing is known that only packets can tell. */
    boolean isPlain() {
        return service == TransportClass.RC && migration.isRequested();
    }

    /** Where a message, or what is said of one, goes to. */
    void address(WholeMessage message) {
        message.address(connection.destinationQpn(), connection.pkey());
    }

    /** What the peer was handed up to now is served. */
    void onTaken(long nowNs) {
        traffic().onTaken(nowNs);
    }

    /**
     * Lets an acknowledgement that is owed go along with a message; by the port, while it hands that over as a note.
     *
     * @param message one of this queue pair
     */
    public void acknowledgeBy(WholeMessage message) {
        traffic().acknowledgeBy(message);
    }

    /**
     * What {@link #acknowledgeBy} has added, if anything, has gone; by the port.
     *
     * @param message one of this queue pair
     */
    public void onAcknowledged(WholeMessage message) {
        if (message.acknowledges()) {
            traffic().onAcknowledged();
        }
    }

    /** What is sent and served, from now on at the latest. */
    private Traffic traffic() {
        Traffic there = traffic;
        if (there == null) {
            there = new Traffic(this, queues);
            traffic = there;
        }
        return there;
    }

    /** True unless it is certain that there is nothing to send, and nothing to complete. */
    private boolean hasSends() {
        return traffic != null || !queues.sendQueue().ring().isEmpty();
    }

    @Override
    public void onTimeout(long nowNs) {
        if (traffic != null) {
            traffic.onTimeout(nowNs);
        }
    }

    @Override
    public long nextDeadlineNs() {
        return traffic == null ? Deadline.NEVER : traffic.nextDeadlineNs();
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
        return hasSends() && traffic().pollTransmit(nowNs, budget);
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
        if (traffic != null) {
            traffic.apply(changes);
        }
        if (changes.has(QpAttribute.EN_SQD_ASYNC_NOTIFY)) {
            drainEventWanted = changes.sqdAsyncNotify();
        }
        if (changes.has(QpAttribute.PATH_MIG_STATE)) {
            migration.set(changes.migrationState());
        }
    }

    @Override
    void forget() {
        established = false;
        drainEventWanted = false;
        connection.reset();
        migration.reset();
        queues.clear();
        if (traffic != null) {
            traffic.abandon();
            traffic = null;
        }
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
    public void breakDown(WcStatus status) {
        if (sendsRequests() && hasSends()) {
            traffic().breakDown(status);
        }
        if (state() != QpState.RESET) {
            enterError();
        }
    }

    @Override
    void onError() {
        if (traffic != null) {
            traffic.stop();
        }
    }

    @Override
    void flushSends() {
        if (hasSends()) {
            traffic().flushSends();
        }
    }

    @Override
    void flushReceives() {
        if (traffic != null || queues.hasReceives()) {
            traffic().flushReceives();
        }
    }

    /** IBA 11.6.3.4: no receive of the shared queue will be taken any more. */
    @Override
    void onFlushed() {
        if (traffic != null) {
            traffic.onFlushed();
        }
        if (queues.shared() != null) {
            port.event(EventType.QP_LAST_WQE_REACHED);
        }
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
        if (state() == QpState.SQD && drainEventWanted && !hasStartedRequests()) {
            drainEventWanted = false;
            port.event(EventType.SQ_DRAINED);
        }
    }

    private boolean hasStartedRequests() {
        return traffic != null && traffic.hasStartedRequests();
    }

    /** A request was carried out that nobody answers: it completes in its turn, perhaps now. */
    void onLocalRequestDone() {
        traffic().onLocalRequestDone();
    }

    /** Packets of an unreliable service are out of this host's memory. */
    void onPacketsLeft(int count) {
        traffic().onPacketsLeft(count);
    }

    /** An answer cannot be given: the memory that it comes from is gone. */
    void breakOff(Verdict verdict) {
        traffic().breakOff(verdict);
    }

    /** The request at the requester's hand cannot be carried out. */
    void failCurrentRequest(WcStatus status) {
        traffic().failCurrentRequest(status);
    }

    @Override
    public QpAttributes query() {
        return super.query().toBuilder()
                .sqPsn(traffic == null ? attributes().sqPsn() : traffic.psn())
                .rqPsn(traffic == null ? attributes().rqPsn() : traffic.expectedPsn())
                .migrationState(migration.state())
                .sqDraining(isDraining())
                .build();
    }

    /** True if requests that were begun are still to be finished before the send queue rests (IBA 10.3.1.5). */
    private boolean isDraining() {
        return state() == QpState.SQD && hasStartedRequests();
    }

    /** The attributes that are read for every packet. */
    Connection connection() {
        return connection;
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
        return queues.sendQueue();
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
