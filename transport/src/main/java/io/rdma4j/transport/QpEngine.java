// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Psn;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.common.CongestionNotifier;
import io.rdma4j.transport.common.PathMigration;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkReader;
import io.rdma4j.transport.port.LinkWriter;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.ReceiveSource;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.requester.SendSide;
import io.rdma4j.transport.responder.Responder;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.CompletionSource;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of a transport service: its creation attributes, and references to the objects that do its work.
 *
 * <p>Sans-IO: a device's port loop, one thread at a time, calls the {@code on…} and {@code poll…} methods and then
 * reads {@link #nextDeadlineNs} again; packets leave through the {@link QpPort}. After any {@code on…} call the engine
 * may have something to send: the loop calls {@link #pollTransmit} until it returns false. Spurious calls do no harm.
 * Other threads may read only {@link #state()}. No method allocates except {@link #modify}, {@link #query}, migration
 * to the alternate path, and the first call with work after RESET, which creates the {@link Sides}.
 */
public final class QpEngine extends Engine {
    /** The first packet received may follow this many lost ones. */
    private static final int MAX_FIRST_LOST = 4096;

    private final QpCore core;

    private boolean drainEventWanted;

    /** Null while the queue pair has been idle since RESET. */
    private @Nullable Sides sides;

    /**
     * The parts with the state of transmission and reception. Created when the first request is posted or the first
     * packet arrives, and discarded by RESET: idle queue pairs take little memory, and a reset only discards them.
     */
    private static final class Sides {
        private final SendSide sends;
        private final Responder responder;

        /** Null until the first packet that met congestion. */
        private @Nullable CongestionNotifier notifier;

        private Sides(SendSide sends, Responder responder) {
            this.sends = sends;
            this.responder = responder;
        }
    }

    /**
     * Creates a queue pair in RESET.
     *
     * @param qpn 24 bits
     * @param attributes as the core checked them: type, signalling and create flags are used, objects and sizes are not
     * @param protectionDomain whose memory it may use
     * @param queues the rings, whose client ends the application holds
     * @param context of the device
     * @param port where its packets go
     */
    public QpEngine(
            int qpn,
            QpSetup attributes,
            Object protectionDomain,
            QpQueues queues,
            TransportContext context,
            QpPort port) {
        this(new QpCore(qpn, attributes, protectionDomain, queues, context, port));
    }

    private QpEngine(QpCore core) {
        super(core);
        this.core = core;
    }

    /** {@return the transport service of the queue pair; packets of other services are not for it} */
    public TransportClass service() {
        return core.service();
    }

    private Sides sides() {
        Sides made = sides;
        if (made == null) {
            SendSide sends = new SendSide(core, core.queues().sendCompletions());
            ReceiveSource receives = core.queues().source(core.protectionDomain());
            Responder responder = new Responder(core, receives);
            made = new Sides(sends, responder);
            made.sends.apply(attributes());
            made.responder.apply(attributes());
            sides = made;
        }
        return made;
    }

    /**
     * Handles a packet for this queue pair; the caller keeps ownership of the buffer.
     *
     * @param packet as filled by {@link PacketContext#parse}
     * @param nowNs of the port's clock
     */
    public void onPacket(PacketContext packet, long nowNs) {
        do {
            onMessage(packet, nowNs);
        } while (packet.nextMessage());
    }

    private void drop(PacketContext packet, String reason) {
        core.counters().droppedPackets++;
        core.trace().drop(qpn(), packet.psn, packet.opcode.code(), reason);
    }

    private void onMessage(PacketContext packet, long nowNs) {
        if (packet.opcode == Opcode.CNP && core.service() != TransportClass.UD) {
            onNotification(nowNs);
        } else if (sides == null && !mayBeFirst(packet)) {
            drop(packet, "first packet");
        } else if (packet.opcode.transport() != core.service() || !core.admits(packet)) {
            drop(packet, "service or path");
        } else {
            dispatch(sides(), packet, nowNs);
        }
    }

    /** Passes a packet of the peer that arrived over a path of the connection to the part that processes it. */
    private void dispatch(Sides to, PacketContext packet, long nowNs) {
        if (packet.metCongestion) {
            onCongestion(to, packet, nowNs);
        }
        if (packet.opcode.isRequest() && core.type() != QpType.XRC_INI) {
            to.responder.onRequest(packet);
        } else if (packet.opcode.isResponse() && core.type() != QpType.XRC_TGT) {
            to.sends.completer().onResponse(packet, nowNs);
        } else {
            core.counters().droppedPackets++;
        }
    }

    private void onCongestion(Sides to, PacketContext packet, long nowNs) {
        CongestionNotifier notifier = to.notifier;
        if (notifier == null) {
            notifier = new CongestionNotifier(core);
            to.notifier = notifier;
        }
        notifier.onPacket(packet, nowNs);
    }

    /** Handles a congestion notification; a queue pair that has sent nothing has no rate to lower. */
    private void onNotification(long nowNs) {
        if (sides == null) {
            core.counters().ignoredCnps++;
        } else {
            sides.sends.rateLimiter().onNotification(nowNs);
        }
    }

    /**
     * True if a packet may be the first since RESET. Only such a packet creates the {@link Sides}, so forged packets
     * without a valid PSN or Q_Key allocate no memory. Some of the first packets may be lost; if more are lost, the
     * peer sends them again.
     */
    private boolean mayBeFirst(PacketContext packet) {
        if (!state().servesRequests() || !packet.opcode.isRequest() || packet.opcode.transport() != core.service()) {
            return false;
        }
        return switch (core.service()) {
            case UD -> core.acceptsQueueKey(packet);
            case UC -> packet.opcode.startsMessage();
            default -> {
                int ahead = Psn.distance(packet.psn, attributes().rqPsn());
                yield ahead >= 0 && ahead < MAX_FIRST_LOST;
            }
        };
    }

    /**
     * Passes the posted requests to the peer of the connection, a queue pair of the same device, without packets. A
     * request that is unusual, or that the peer cannot execute at once, stays: {@link #pollTransmit} sends it. The
     * caller owns both engines. The owner of the port loop then calls {@link #raiseEvents} of both.
     *
     * @param peer the queue pair to which this one is connected; may be this one
     * @param link state that the two queue pairs share
     * @param inLoop whether the caller owns the port loop; if not, only what concerns no other queue pair is done, and
     *     no event becomes due but those of completions
     * @return true if no request is left, and the owner of the port loop has nothing to do for those before
     */
    public boolean deliver(QpEngine peer, LinkDelivery link, boolean inLoop) {
        if (!inLoop && (sides == null || peer.sides == null)) {
            return false;
        }
        boolean open = core.isPlain() && peer.core.isPlain() && hasSends();
        return open && sides().sends.deliver(peer.sides().responder, link, inLoop);
    }

    /** Makes the threads that poll the completion queues of the queue pair poll a source. */
    public void addSource(CompletionSource source) {
        core.queues().sendCompletions().add(source);
        core.queues().receiveCompletions().add(source);
    }

    /** Ends what {@link #addSource} does. */
    public void removeSource(CompletionSource source) {
        core.queues().sendCompletions().remove(source);
        core.queues().receiveCompletions().remove(source);
    }

    /** {@return true if requests are posted and not completed} */
    public boolean hasRequests() {
        return core.queues().sendQueue().waiting() > 0;
    }

    /** Raises the events of messages that were delivered by {@link #deliver}. By the owner of the port loop. */
    public void raiseEvents() {
        core.queues().sendCompletions().raise();
        if (sides != null) {
            sides.responder.completions().raise();
            sides.responder.onTaken();
        }
    }

    /**
     * {@return true if the peer may execute its WRITEs itself} In RTR only behind its first packet or message, which
     * raises COMM_EST.
     */
    public boolean permitsWrites() {
        boolean isReady =
                state() == QpState.RTS || state() == QpState.RTR && sides != null && sides.responder.isEstablished();
        return isReady && core.isPlain() && (core.connection().accessFlags() & AccessFlag.REMOTE_WRITE.bit()) != 0;
    }

    /** {@return number of the queue pair to which this one is connected, 24 bits} */
    public int destinationQpn() {
        return core.connection().destinationQpn();
    }

    /** {@return the path MTU of the connection, bytes} */
    public int pathMtuBytes() {
        return core.connection().pathMtuBytes();
    }

    /** {@return the partition of the connection: its P_Key, 16 bits} */
    public int pkey() {
        return core.connection().pkey();
    }

    /**
     * True if a link ring may begin to carry the requests, of which there are some. The caller owns the engine, and the
     * port loop.
     */
    public boolean mayUseRing() {
        return core.isPlain() && hasSends() && sides().sends.mayUseRing();
    }

    /**
     * Completes the requests that the peer has executed. The caller owns the engine.
     *
     * @param out the ring
     * @param link state of the link
     * @return false if the owner of the port loop has something to do
     */
    public boolean complete(LinkWriter out, LinkDelivery link) {
        Sides from = sides;
        return from != null && from.sends.complete(out, link);
    }

    /**
     * Writes the posted requests to a link ring to the peer, a queue pair of another process. What does not fit waits
     * until the peer has executed messages; what is unusual waits until the ring is empty, and {@link #pollTransmit}
     * sends it. The caller owns the engine.
     *
     * @param out the ring
     * @param link state of the link
     * @param inLoop whether the caller owns the port loop
     * @return false if the owner of the port loop has something to do
     */
    public boolean deliver(LinkWriter out, LinkDelivery link, boolean inLoop) {
        Sides from = sides;
        return from != null && from.sends.deliver(out, link, inLoop);
    }

    /**
     * Takes the messages that wait in a link ring from the peer, a queue pair of another process. The caller owns the
     * engine.
     *
     * @param in the ring
     * @param link state of the link
     * @param inLoop whether the caller owns the port loop
     * @return false if a message cannot be taken, or the owner of the port loop has to raise an event
     */
    public boolean take(LinkReader in, LinkDelivery link, boolean inLoop) {
        Sides to = sides;
        if (to == null && inLoop && state().servesRequests()) {
            to = sides();
        }
        if (to == null || !core.isPlain()) {
            return !in.hasMessage();
        }
        return to.responder.takeFrom(in, link, inLoop);
    }

    /**
     * Takes note of the messages that the peer has stored into memory of this end. Their PSNs are those before the next
     * message or packet of the peer, so the caller calls this before it passes on one of them. The caller owns the
     * engine and the port loop, or the queue pair has received messages.
     *
     * @param in the ring
     * @param link state of the link
     */
    public void passStores(LinkReader in, LinkDelivery link) {
        if (in.readStores(link)) {
            sides().responder.pass(in.newMessages(), in.newPackets());
        }
    }

    /** Starts to watch that the peer executes the messages in a link ring. By the owner of the port loop. */
    public void watchRing(long nowNs) {
        if (sides != null) {
            sides.sends.watchRing(nowNs);
        }
    }

    /** Leaves the link ring: the messages in it that are not completed will be sent as packets. */
    public void leaveRing() {
        if (sides != null) {
            sides.sends.leaveRing();
        }
    }

    /** False only if there is certainly nothing to send and nothing to complete. */
    private boolean hasSends() {
        return sides != null || core.queues().sendQueue().waiting() > 0;
    }

    @Override
    public void onTimeout(long nowNs) {
        if (sides != null) {
            sides.sends.onTimeout(nowNs);
        }
    }

    @Override
    public long nextDeadlineNs() {
        return sides == null ? Deadline.NEVER : sides.sends.nextDeadlineNs();
    }

    /**
     * Sends what is due, up to {@code budget} packets (a little more if a train is sent as a whole): responses first,
     * then requests.
     *
     * @return true if the budget was used up: there may be more to send now
     */
    @Override
    public boolean pollTransmit(long nowNs, int budget) {
        flush();
        return hasSends() && transmit(sides(), nowNs, budget);
    }

    private static boolean transmit(Sides from, long nowNs, int budget) {
        SendSide sends = from.sends;
        Responder responder = from.responder;
        sends.look();
        CongestionNotifier notifier = from.notifier;
        int left = notifier == null ? budget : budget - notifier.send(nowNs);
        // Responses are sent before requests, but may use only half of the budget until requests have been sent. A lone
        // acknowledgement is sent after the requests: a device can send a short packet with the same call as the longer
        // ones before it, but not the other way round.
        if (responder.owesAnswers() && !responder.owesAcknowledgementOnly()) {
            left -= responder.sendAll((left + 1) / 2, sends.rateLimiter(), nowNs);
        }
        left -= sends.send(left, nowNs);
        if (responder.owesAnswers()) {
            left -= responder.sendAll(Math.max(left, 1), sends.rateLimiter(), nowNs);
        }
        return left <= 0 || sends.moveOn();
    }

    /**
     * {@inheritDoc}
     *
     * @throws RdmaException EINVAL also if the queue pair drains and is to enter a state other than RESET or ERR, or
     *     for a state of path migration that cannot be set now
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
        if (changes.has(QpAttribute.PATH_MIG_STATE)) {
            core.migration()
                    .check(changes, attributes().has(QpAttribute.ALT_PATH) || changes.has(QpAttribute.ALT_PATH));
        }
    }

    @Override
    void apply(QpAttributes changes) {
        core.connection().apply(changes);
        if (sides != null) {
            sides.sends.apply(changes);
            sides.responder.apply(changes);
        }
        if (changes.has(QpAttribute.EN_SQD_ASYNC_NOTIFY)) {
            drainEventWanted = changes.sqdAsyncNotify();
        }
        if (changes.has(QpAttribute.PATH_MIG_STATE)) {
            core.migration().set(changes.migrationState());
        }
    }

    @Override
    void forget() {
        drainEventWanted = false;
        core.connection().reset();
        core.resetMigration();
        core.queues().clear();
        if (sides != null) {
            sides.sends.abandon();
            sides.responder.dropHeld();
            sides = null;
        }
    }

    /**
     * Makes the alternate path the primary one, with all its attributes; unacknowledged packets are sent again after
     * their timeout.
     */
    @Override
    void takeAlternatePath() {
        AlternatePath path = Objects.requireNonNull(attributes().alternatePath(), "armed without an alternate path");
        QpAttributes primary = QpAttributes.builder()
                .addressVector(path.addressVector())
                .port(path.port())
                .pkeyIndex(path.pkeyIndex())
                .timeout(path.timeout())
                .build();
        change(primary);
        core.port().migrate();
        core.port().event(EventType.PATH_MIG);
    }

    /**
     * {@return true if a packet with MigReq may arrive over another path than the primary one, see {@link
     * PathMigration#admits}}
     */
    public boolean awaitsMigration() {
        return !core.requestsMigration();
    }

    @Override
    public void breakDown(WcStatus status) {
        if (core.sendsRequests() && hasSends()) {
            sides().sends.completer().breakDown(status);
        }
        if (state() != QpState.RESET) {
            enterError();
        }
    }

    @Override
    void onError() {
        if (sides != null) {
            sides.sends.stop();
            sides.notifier = null;
            sides.responder.stop();
        }
    }

    @Override
    void flushSends() {
        if (hasSends()) {
            sides().sends.completer().flush();
        }
    }

    @Override
    void flushReceives() {
        if (sides != null || core.queues().hasReceives()) {
            sides().responder.flush();
        }
    }

    /** IBA 11.6.3.4: no more receives of the shared queue are taken. */
    @Override
    void onFlushed() {
        if (sides != null) {
            sides.responder.dropHeld();
        }
        if (core.queues().shared() != null) {
            core.port().event(EventType.QP_LAST_WQE_REACHED);
        }
    }

    /** Raises SQ_DRAINED when a draining queue has no started request left. */
    @Override
    void onRequestsCompleted() {
        if (state() == QpState.SQD && drainEventWanted && !hasStartedRequests()) {
            drainEventWanted = false;
            core.port().event(EventType.SQ_DRAINED);
        }
    }

    private boolean hasStartedRequests() {
        return sides != null && sides.sends.hasStartedRequests();
    }

    @Override
    public QpAttributes query() {
        return super.query().toBuilder()
                .sqPsn(sides == null ? attributes().sqPsn() : sides.sends.psn())
                .rqPsn(sides == null ? attributes().rqPsn() : sides.responder.expectedPsn())
                .migrationState(core.migrationState())
                .sqDraining(isDraining())
                .build();
    }

    /** True if started requests are still to be finished before the send queue is drained (IBA 10.3.1.5). */
    private boolean isDraining() {
        return state() == QpState.SQD && hasStartedRequests();
    }
}
