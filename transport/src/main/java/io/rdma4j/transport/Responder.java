package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.RnrTimer;
import io.rdma4j.wire.Syndrome;
import io.rdma4j.wire.TransportClass;
import io.rdma4j.wire.XrcEth;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Serves the peer's requests (IBA 9.7.4, 9.7.5, 9.8, 9.9.3); answers to {@code rxe_receiver}.
 *
 * <p>Every packet climbs the same ladder of {@link ResponderStep}s. A step that is not content says why by a {@link Verdict}, and {@code conclude…} acts on it, as
 * the service of the queue pair demands.
 */
final class Responder {
    private final QpEngine qp;
    private final TransportClass service;
    private final ReceiveSlot receive;
    private final ReplayTable replays = new ReplayTable();
    private final Response response = new Response();
    private final RemoteOperations remote;
    private final Answers answers;

    private final RequestOrder order;
    private final LocalOperations local;

    /** What the last step of the ladder said. */
    private Verdict verdict = Verdict.PASS;

    private int msn;
    private boolean droppingMessage;
    private boolean inMessage;

    private Operation messageOperation = Operation.SEND;

    /** The error that ends the connection when all requests before it are answered; PASS if there is none. */
    private Verdict pendingError = Verdict.PASS;

    Responder(QpEngine qp, ReceiveSource receives, RateLimiter rateLimiter, LocalOperations local) {
        this.qp = qp;
        this.service = qp.service();
        this.order = new RequestOrder(qp.context());
        this.receive = new ReceiveSlot(receives, qp.keys(), qp.poster());
        this.remote = new RemoteOperations(qp, replays);
        this.answers = new Answers(qp, replays, response, rateLimiter);
        this.local = local;
    }

    /** Sets the first PSN expected. */
    void startAt(int firstPsn) {
        order.startAt(firstPsn);
    }

    /** Sets how many READs and atomics are served at once. */
    void maxReadsAndAtomics(int limit) {
        replays.resize(limit);
    }

    int expectedPsn() {
        return order.expectedPsn();
    }

    /** A request packet, and those held until now whose turn comes with it. */
    void onRequest(PacketContext packet) {
        if (!servesRequests()) {
            drop(packet, "state");
        } else if (service.isReliable()) {
            concludeReliable(climb(packet), packet);
            serveHeld();
        } else {
            concludeUnreliable(climb(packet), packet);
        }
    }

    private void drop(PacketContext packet, String reason) {
        qp.counters().droppedPackets++;
        qp.trace().drop(qp.qpn(), packet, reason);
    }

    private boolean servesRequests() {
        return pendingError == Verdict.PASS && qp.state().servesRequests();
    }

    private void serveHeld() {
        for (SkBuff skb = order.takeDue(); skb != null; skb = order.takeDue()) {
            // What a held packet says; the packet that made its turn come is still in the hands of the caller.
            PacketContext heldPacket = qp.context().heldPacket();
            if (servesRequests() && heldPacket.parse(skb)) {
                concludeReliable(climb(heldPacket), heldPacket);
            }
            skb.free();
        }
        if (servesRequests() && order.hasGap() && response.saysLessThanGapAt(order.expectedPsn())) {
            owe(NakCode.PSN_SEQUENCE_ERROR);
        }
    }

    private Verdict climb(PacketContext packet) {
        boolean up = passes(ResponderStep.PLACE, checkPlace(packet), packet)
                && passes(ResponderStep.OPCODE_SEQUENCE, checkOpcodeSequence(packet.opcode), packet)
                && passes(ResponderStep.OPERATION, checkOperation(packet), packet)
                && passes(ResponderStep.RESOURCE, checkResource(packet), packet)
                && passes(ResponderStep.KEY, remote.checkKey(packet), packet)
                && passes(ResponderStep.LENGTH, checkLength(packet), packet)
                && passes(ResponderStep.EXECUTE, execute(packet), packet)
                && passes(ResponderStep.INVALIDATE, invalidate(packet), packet)
                && passes(ResponderStep.COMPLETE, complete(packet), packet);
        if (up) {
            order.advanceTo(remote.nextPsn(packet), packet.opcode.hasOwnResponse());
        }
        return verdict;
    }

    /** True if a step is content with the packet; if not, {@link #verdict} says why. */
    private boolean passes(ResponderStep step, Verdict said, PacketContext packet) {
        assert step.mayYield(said) : step + " says " + said;
        verdict = said;
        if (said != Verdict.PASS) {
            qp.trace().end(qp.qpn(), packet.psn, step, said);
        }
        return said == Verdict.PASS;
    }

    private Verdict checkPlace(PacketContext packet) {
        return switch (service) {
            case UD -> qp.acceptsQueueKey(packet) ? Verdict.PASS : Verdict.DROP;
            case UC -> checkUnreliablePsn(packet);
            default -> order.check(packet);
        };
    }

    /** IBA 9.8.3: what is lost is lost; the next message that begins is served, whatever its PSN. */
    private Verdict checkUnreliablePsn(PacketContext packet) {
        if (packet.opcode.startsMessage()) {
            // A message whose last packet never came is given up for the new one.
            droppingMessage = false;
            inMessage = false;
            return endSharedReceive(NakCode.INVALID_REQUEST) ? Verdict.PASS : Verdict.DROP;
        }
        return packet.psn == order.expectedPsn() && !droppingMessage ? Verdict.PASS : Verdict.DROP;
    }

    /** IBA 9.7.4.1.5: messages do not overlap. */
    private Verdict checkOpcodeSequence(Opcode opcode) {
        boolean follows = opcode.startsMessage() ? !inMessage : inMessage && opcode.operation() == messageOperation;
        return follows ? Verdict.PASS : Verdict.OPCODE_SEQUENCE;
    }

    /** IBA 9.7.4.1.4, 9.7.4.1.5: only what the attributes of this queue pair allow. */
    private Verdict checkOperation(PacketContext packet) {
        int needed = RequestRules.access(packet);
        boolean agreed = !packet.opcode.operation().isManufacturerSpecific() || qp.agreesOnMaskedAtomics();
        boolean granted = (qp.connection().accessFlags() & needed) == needed;
        return agreed && granted ? Verdict.PASS : Verdict.UNSUPPORTED_REQUEST;
    }

    /** IBA 9.7.4.1.6, 9.7.5.2.8: a message needs a receive request, a READ or atomic a place in the replay table. */
    private Verdict checkResource(PacketContext packet) {
        if (packet.opcode.carries(Header.XRCETH) && packet.opcode.startsMessage() && !chooseReceives(packet)) {
            return Verdict.UNKNOWN_RECEIVE_QUEUE;
        }
        if (packet.opcode.hasOwnResponse() && !replays.hasRoom()) {
            return Verdict.TOO_MANY_REQUESTS;
        }
        boolean takes = packet.opcode.takesReceive() || packet.lastOpcode.takesReceive();
        return takes ? receive.take() : Verdict.PASS;
    }

    /** IBA A14: the message says into which shared queue of the domain it goes, whose protection domain counts. */
    private boolean chooseReceives(PacketContext packet) {
        int number = XrcEth.srqNumber(packet.memory(), packet.at(Header.XRCETH));
        SharedReceives queue = qp.port().xrcReceives(number);
        if (queue == null) {
            return false;
        }
        receive.source(queue.xrcSource());
        remote.protectionDomain(queue.protectionDomain());
        return true;
    }

    /** IBA 9.7.4.1.7: the packet fits the path, and the message fits the receive request or the length announced. */
    private Verdict checkLength(PacketContext packet) {
        if (!RequestRules.fitsPath(packet, qp.connection().pathMtuBytes())) {
            return Verdict.BAD_LENGTH;
        }
        return switch (packet.opcode.operation()) {
            case SEND -> {
                int route = service == TransportClass.UD ? QpPort.ROUTE_BYTES : 0;
                yield route + packet.payloadBytes <= receive.bytesLeft() ? Verdict.PASS : Verdict.RECEIVE_TOO_SHORT;
            }
            case WRITE -> {
                boolean fits = packet.lastOpcode.endsMessage()
                        ? packet.payloadBytes == remote.left()
                        : packet.payloadBytes < remote.left();
                yield fits ? Verdict.PASS : Verdict.BAD_LENGTH;
            }
            default -> Verdict.PASS;
        };
    }

    private Verdict execute(PacketContext packet) {
        Verdict outcome;
        try {
            outcome = switch (packet.opcode.operation()) {
                case SEND -> service == TransportClass.UD ? executeDatagram(packet) : executeSend(packet);
                case WRITE -> remote.write(packet);
                default -> remote.executeWithAnswer(packet);
            };
        } catch (InternalError fault) {
            // How the JVM tells of SIGBUS: the page of a mapped file is not there.
            outcome = Verdict.MEMORY_FAULT;
        }
        if (outcome == Verdict.PASS) {
            inMessage = true;
            messageOperation = packet.opcode.operation();
        }
        return outcome;
    }

    private Verdict executeSend(PacketContext packet) {
        if (!receive.scatter(packet.skb, packet.payloadOffset, packet.payloadBytes)) {
            return packet.skb.hasAllBytes() ? Verdict.RECEIVE_PROTECTION : Verdict.DROP;
        }
        return Verdict.PASS;
    }

    /** IBA 11.4.2.1: the first 40 bytes say where it came from. */
    private Verdict executeDatagram(PacketContext packet) {
        MemorySegment route = qp.scratch();
        qp.port().copyRoute(packet.skb, route);
        return receive.scatter(route, 0, QpPort.ROUTE_BYTES) ? executeSend(packet) : Verdict.RECEIVE_PROTECTION;
    }

    /** IBA 9.4.1.1.3: the data have arrived, now the peer gives back the key that it no longer needs. */
    private Verdict invalidate(PacketContext packet) {
        boolean content =
                !packet.lastOpcode.carries(Header.IETH) || local.invalidate(packet.lastWord, remote.protectionDomain());
        return content ? Verdict.PASS : Verdict.BAD_INVALIDATION;
    }

    private Verdict complete(PacketContext packet) {
        if (!packet.lastOpcode.endsMessage()) {
            return Verdict.PASS;
        }
        inMessage = false;
        msn = Psn.next(msn);
        if (!packet.lastOpcode.completesReceive()) {
            return Verdict.PASS;
        }
        CompletionEntry entry = completion(packet.lastOpcode, packet.lastWord);
        if (packet.opcode.carries(Header.DETH)) {
            describeSource(entry, packet);
        }
        return receive.complete(entry, packet.solicited) ? Verdict.PASS : Verdict.COMPLETION_OVERRUN;
    }

    /**
     * What tells the application of the message that has arrived.
     *
     * @param last opcode of its last packet
     * @param word immediate data or key that this one carries, if any
     */
    private CompletionEntry completion(Opcode last, int word) {
        boolean write = last.operation() == Operation.WRITE;
        CompletionEntry entry =
                receive.completion(WcStatus.SUCCESS, write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV);
        entry.byteLength = (int) (write ? remote.written() : receive.received());
        if (last.carries(Header.IMMDT)) {
            entry.flags = WcFlag.WITH_IMM.bit();
            entry.immediate = word;
        } else if (last.carries(Header.IETH)) {
            entry.flags = WcFlag.WITH_INV.bit();
            entry.immediate = word;
        }
        qp.counters().receives++;
        return entry;
    }

    /** Where a datagram comes from; the general services are of all ports and partitions, so it matters by which it came in. */
    private void describeSource(CompletionEntry entry, PacketContext packet) {
        entry.flags |= WcFlag.GRH.bit() | checksumFlag(packet);
        entry.sourceQp = Deth.sourceQpn(packet.memory(), packet.at(Header.DETH));
        if (qp.type() == QpType.GSI) {
            entry.pkeyIndex = qp.port().pkeyIndex(packet.pkey());
            entry.port = qp.port().number();
        }
    }

    /** Management is no IP. */
    private int checksumFlag(PacketContext packet) {
        boolean right = qp.type() == QpType.UD
                && IpoibChecksums.areRight(packet.skb, packet.payloadOffset, packet.payloadBytes, qp.scratch());
        return right ? WcFlag.IP_CSUM_OK.bit() : 0;
    }

    /**
     * The peer hands over its next message, whole. It is served if nothing speaks against it; if anything does, the same message comes as packets, and
     * climbs the ladder.
     *
     * @return false if nothing has happened: packets have to be sent
     */
    boolean take(WholeMessage message) {
        if (!servesRequests() || !isNext(message) || !isMoved(message)) {
            return false;
        }
        if (message.opcode.takesReceive()
                && !receive.complete(completion(message.opcode, message.immediate), message.solicited)) {
            concludeError(Verdict.COMPLETION_OVERRUN);
            return false;
        }
        msn = Psn.next(msn);
        order.take(message);
        establish();
        return true;
    }

    /** True for a message that was served before: packets of it have been faster than the note. */
    boolean hasServed(WholeMessage message) {
        return qp.state().servesRequests() && Psn.isBefore(message.psn, order.expectedPsn());
    }

    private boolean isNext(WholeMessage message) {
        return message.psn == order.expectedPsn()
                && message.packets == qp.connection().packets(message.length)
                && !inMessage
                && !order.hasGap()
                && (!response.isOwed() || response.isAck())
                && (qp.connection().accessFlags() & message.access()) == message.access();
    }

    /** Copies the payload to its place, if there is one; whatever was copied otherwise, packets write again. */
    private boolean isMoved(WholeMessage message) {
        if (message.opcode.takesReceive() && receive.take() != Verdict.PASS) {
            return false;
        }
        try {
            return message.isWrite()
                    ? remote.write(message)
                    : message.length <= receive.bytesLeft()
                            && receive.scatter(message.memory, message.offset, message.length);
        } catch (IllegalStateException | InternalError gone) {
            // Packets follow, and the step that meets this says what becomes of the queue pair.
            return false;
        }
    }

    /** A note was not for now: the peer is to send packets. True if it must be told, and was not told by a NAK either. */
    boolean refuses() {
        return order.goBack();
    }

    /** The peer cannot be told so by a note. */
    void refuseByPacket() {
        owe(NakCode.PSN_SEQUENCE_ERROR);
    }

    /** The acknowledgement that is owed goes along with a message, if it is all that is owed. */
    void acknowledgeBy(WholeMessage message) {
        if (answers.isAcknowledgementOnly()) {
            int word = Aeth.word(response.syndrome(creditCode()), msn);
            message.acknowledge(response.psn(order.acknowledgedPsn()), word);
        }
    }

    /** What {@link #acknowledgeBy} has added is on its way. */
    void onAcknowledged() {
        response.clear();
    }

    /** A message was handed over by a note, which the peer wants to hear of. */
    void acknowledgeLater() {
        oweAck();
    }

    /** Acts on what the ladder said, for a reliable connection. */
    private void concludeReliable(Verdict said, PacketContext packet) {
        switch (said) {
            case PASS -> {
                establish();
                if (order.isWhole()) {
                    response.onGapFilled();
                }
                if (packet.ackRequest && !packet.opcode.hasOwnResponse()) {
                    oweAck();
                }
            }
            case HELD -> {}
            case DROP -> drop(packet, "request");
            case DUPLICATE -> {
                if (!packet.opcode.hasOwnResponse()) {
                    oweAck();
                } else if (!remote.answerAgain(packet)) {
                    drop(packet, "duplicate request");
                }
            }
            case RECEIVER_NOT_READY -> {
                order.goBack();
                qp.counters().sentRnrNaks++;
                qp.trace()
                        .rnrNak(
                                qp.qpn(),
                                order.expectedPsn(),
                                true,
                                RnrTimer.ns(qp.connection().minRnrTimer()));
                response.oweRnrNak(qp.connection().minRnrTimer(), order.expectedPsn());
            }
            default -> concludeError(said);
        }
    }

    /**
     * The peer is told of an error behind the answers to its requests before that, as IBA 9.7.5.1.1 orders them: a connection that
     * ends goes to ERR, where nothing more is answered, only then.
     */
    private void concludeError(Verdict said) {
        NakCode nak = said.nak();
        if (nak != null && said.isFatal() && answers.areDataOwed()) {
            pendingError = said;
            return;
        }
        if (nak != null) {
            owe(nak);
        }
        if (said.isFatal()) {
            breakOff(said);
        }
    }

    /** Acts on what the ladder said, for services that promise nothing: the message is dropped, and nobody is told. */
    private void concludeUnreliable(Verdict said, PacketContext packet) {
        if (said == Verdict.PASS) {
            establish();
        } else if (said.isLocalError()) {
            breakOff(said);
        } else {
            drop(packet, said.name());
            droppingMessage = true;
            inMessage = false;
            endSharedReceive(said.nak());
        }
    }

    /**
     * A message of an unreliable service ends before its time. The receive request that it took out of a shared queue ends with it
     * (class E); one of the queue pair's own queue waits for the next message (class D).
     *
     * @param reason what the peer of a reliable connection would be told; null if the message may go on
     * @return false if the queue pair went to ERR, because its completion queue is full
     */
    private boolean endSharedReceive(@Nullable NakCode reason) {
        if (reason == null || !receive.isShared() || !receive.isHeld()) {
            return true;
        }
        WcStatus status = Objects.requireNonNull(Outcome.of(reason).status());
        boolean told = receive.complete(receive.completion(status, WcOpcode.RECV), true);
        if (!told) {
            breakOff(Verdict.COMPLETION_OVERRUN);
        }
        return told;
    }

    /** The queue pair can do no more: its receive request under way ends, the application is told. */
    void breakOff(Verdict said) {
        WcStatus status = said.receiveStatus();
        if (status != null && receive.isHeld()) {
            CompletionEntry entry = receive.completion(status, WcOpcode.RECV);
            entry.vendorError = toldPeer(said);
            receive.complete(entry, true);
        }
        EventType event = said.event();
        if (event != null) {
            qp.port().event(event);
        }
        qp.enterError();
    }

    /** The syndrome of the NAK for the peer; 0 if it gets none. */
    private int toldPeer(Verdict said) {
        NakCode nak = said.nak();
        return nak == null || !service.isReliable() ? 0 : Syndrome.nak(nak);
    }

    private void establish() {
        if (qp.state() == QpState.RTR && service != TransportClass.UD) {
            qp.establish();
        }
    }

    private void owe(NakCode nak) {
        order.goBack();
        response.oweNak(nak, order.expectedPsn());
    }

    private void oweAck() {
        if (response.oweAck()) {
            qp.counters().deferredAcks++;
        }
    }

    /** True if anything is owed to the peer. */
    boolean owesAnswers() {
        return answers.isOwed() || pendingError != Verdict.PASS;
    }

    /** The queue pair is in ERR: only a NAK that is owed is still sent. */
    void stop() {
        pendingError = Verdict.PASS;
        answers.stop();
    }

    private void concludePendingError() {
        Verdict due = pendingError;
        if (due != Verdict.PASS && !answers.areDataOwed()) {
            pendingError = Verdict.PASS;
            concludeError(due);
        }
    }

    /** See {@link Answers#isAcknowledgementOnly}. */
    boolean owesAcknowledgementOnly() {
        return pendingError == Verdict.PASS && answers.isAcknowledgementOnly();
    }

    /**
     * Sends answers that are owed.
     *
     * @param budget packets at most, at least 1
     * @return packets sent; 0 if nothing is owed or there is no buffer
     */
    int send(int budget, long nowNs) {
        concludePendingError();
        int sent = answers.send(budget, order.acknowledgedPsn(), msn, creditCode(), nowNs);
        concludePendingError();
        return sent;
    }

    /**
     * What acknowledgements say of receive requests that are there, the one of a message under way included (IBA 9.7.7.2.1).
     * Requests of a shared queue are promised to nobody.
     */
    private int creditCode() {
        boolean counted = qp.options().announcesCredits() && qp.type() == QpType.RC && !receive.isShared();
        return counted ? CreditCode.of(receive.ownWaiting()) : CreditCode.UNLIMITED;
    }

    /** Completes every receive that is this queue pair's alone with a flush error; the queue pair is in ERR. */
    void flush() {
        receive.flush();
    }

    /** No request is served any more: packets before their turn are nobody's. */
    void dropHeld() {
        order.dropHeld();
    }
}
