// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.IpoibChecksums;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RateLimiter;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.transport.port.LinkReader;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.ReceiveSource;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
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
import org.jspecify.annotations.Nullable;

/**
 * Executes the peer's requests (IBA 9.7.4, 9.7.5, 9.8, 9.9.3). Corresponds to {@code rxe_receiver}.
 *
 * <p>Every packet passes through the same ladder of {@link ResponderStep}s. A step that ends the ladder returns a
 * {@link Verdict}, and {@code conclude…} acts on it, as the service of the queue pair demands.
 */
public final class Responder {
    /** Maximum number of messages that are taken from a link ring before the caller looks for other work. */
    private static final int MAX_TAKEN = 64;

    private final QpCore qp;
    private final TransportClass service;
    private final ReceiveSlot receive;
    private final PendingAck response = new PendingAck();
    private final RequestOrder order;

    // Each part is null until it is used: a queue pair that only takes SENDs from a link has none of them.
    private @Nullable ReplayTable replays;
    private @Nullable RemoteOperations remote;
    private @Nullable ResponseQueue answers;

    /** See {@link ReplayTable#resize}. */
    private int maxReplays;

    /** The verdict of the last step of the ladder. */
    private Verdict verdict = Verdict.PASS;

    private int msn;
    private boolean droppingMessage;
    private boolean inMessage;
    private boolean established;

    /** A message was taken as a whole by the owner of the port loop. */
    private boolean hasTaken;

    private Operation messageOperation = Operation.SEND;

    /** The error that ends the connection when all requests before it have their responses; PASS if there is none. */
    private Verdict pendingError = Verdict.PASS;

    public Responder(QpCore qp, ReceiveSource receives) {
        this.qp = qp;
        this.service = qp.service();
        this.order = new RequestOrder(qp.context());
        this.receive = new ReceiveSlot(receives, qp);
    }

    private ReplayTable replays() {
        ReplayTable made = replays;
        if (made == null) {
            made = new ReplayTable(maxReplays);
            replays = made;
        }
        return made;
    }

    private RemoteOperations remote() {
        RemoteOperations made = remote;
        if (made == null) {
            made = new RemoteOperations(qp, replays());
            remote = made;
        }
        return made;
    }

    private ResponseQueue answers(RateLimiter rateLimiter) {
        ResponseQueue made = answers;
        if (made == null) {
            made = new ResponseQueue(qp, replays(), response, rateLimiter);
            answers = made;
        }
        return made;
    }

    /** True if the response to a READ, an atomic or another request with its own response is pending. */
    private boolean areDataOwed() {
        return replays != null && replays.firstOwed() != null;
    }

    /** Handles that attributes were set; those of the connection are applied already. */
    public void apply(QpAttributes changes) {
        if (changes.has(QpAttribute.MAX_DEST_RD_ATOMIC)) {
            maxReplays = changes.maxDestRdAtomic();
            if (replays != null) {
                replays.resize(maxReplays);
            }
        }
        if (changes.has(QpAttribute.RQ_PSN)) {
            order.startAt(Psn.of(changes.rqPsn()));
        }
    }

    public int expectedPsn() {
        return order.expectedPsn();
    }

    /** Handles a request packet, and then the held packets that have become the expected ones. */
    public void onRequest(PacketContext packet) {
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
        qp.trace().drop(qp.qpn(), packet.psn, packet.opcode.code(), reason);
    }

    private boolean servesRequests() {
        return pendingError == Verdict.PASS && qp.state().servesRequests();
    }

    private void serveHeld() {
        for (SkBuff skb = order.takeDue(); skb != null; skb = order.takeDue()) {
            // Context of a held packet; the caller still uses that of the packet that filled the gap.
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
                && passes(ResponderStep.KEY, remote().checkKey(packet), packet)
                && passes(ResponderStep.LENGTH, checkLength(packet), packet)
                && passes(ResponderStep.EXECUTE, execute(packet), packet)
                && passes(ResponderStep.INVALIDATE, invalidate(packet), packet)
                && passes(ResponderStep.COMPLETE, complete(packet), packet);
        if (up) {
            order.advanceTo(remote().nextPsn(packet), packet.opcode.hasOwnResponse());
        }
        return verdict;
    }

    /** True if the next step follows; if not, {@link #verdict} has the reason. */
    private boolean passes(ResponderStep step, Verdict newVerdict, PacketContext packet) {
        assert step.mayYield(newVerdict) : step + " says " + newVerdict;
        verdict = newVerdict;
        if (newVerdict != Verdict.PASS) {
            qp.trace().end(qp.qpn(), packet.psn, step, newVerdict);
        }
        return newVerdict == Verdict.PASS;
    }

    private Verdict checkPlace(PacketContext packet) {
        return switch (service) {
            case UD -> qp.acceptsQueueKey(packet) ? Verdict.PASS : Verdict.DROP;
            case UC -> checkUnreliablePsn(packet);
            default -> order.check(packet);
        };
    }

    /** IBA 9.8.3: lost packets are not recovered; the next message that begins is executed, whatever its PSN. */
    private Verdict checkUnreliablePsn(PacketContext packet) {
        if (packet.opcode.startsMessage()) {
            // A message whose last packet never arrived is dropped for the new one.
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
        if (packet.opcode.hasOwnResponse() && !replays().hasRoom()) {
            return Verdict.TOO_MANY_REQUESTS;
        }
        boolean takes = packet.opcode.takesReceive() || packet.lastOpcode.takesReceive();
        return takes ? receive.take() : Verdict.PASS;
    }

    /** IBA A14: the message names the shared receive queue of the domain, whose protection domain applies. */
    private boolean chooseReceives(PacketContext packet) {
        int number = XrcEth.srqNumber(packet.memory(), packet.at(Header.XRCETH));
        SharedReceiveState queue = qp.port().xrcReceives(number);
        if (queue == null) {
            return false;
        }
        receive.source(queue.xrcSource());
        remote().protectionDomain(queue.protectionDomain());
        return true;
    }

    /** IBA 9.7.4.1.7: the packet fits the path, and the message fits the receive request or the announced length. */
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
                        ? packet.payloadBytes == remote().left()
                        : packet.payloadBytes < remote().left();
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
                case WRITE -> remote().write(packet);
                default -> remote().executeWithAnswer(packet);
            };
        } catch (InternalError fault) {
            // The JVM reports SIGBUS as InternalError: the page of a mapped file is not there. Compiled code may throw
            // it only when the method with the access returns.
            remote().faulted(packet);
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
            return packet.skb.shinfo().hasAllBytes() ? Verdict.RECEIVE_PROTECTION : Verdict.DROP;
        }
        return Verdict.PASS;
    }

    /** IBA 11.4.2.1: the first 40 bytes contain the source of the datagram. */
    private Verdict executeDatagram(PacketContext packet) {
        MemorySegment route = qp.scratch();
        qp.port().copyRoute(packet.skb, route);
        return receive.scatter(route, 0, QpPort.ROUTE_BYTES, /* inLoop= */ true)
                ? executeSend(packet)
                : Verdict.RECEIVE_PROTECTION;
    }

    /** IBA 9.4.1.1.3: after the data have arrived, the peer invalidates the key that it no longer needs. */
    private Verdict invalidate(PacketContext packet) {
        boolean content = !packet.lastOpcode.carries(Header.IETH)
                || qp.local().invalidate(packet.lastWord, remote().protectionDomain());
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
     * The completion of the message that has arrived.
     *
     * @param last opcode of its last packet
     * @param word immediate data or key in that packet, if any
     */
    private CompletionEntry completion(Opcode last, int word) {
        boolean write = last.operation() == Operation.WRITE;
        CompletionEntry entry =
                receive.completion(WcStatus.SUCCESS, write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV);
        entry.byteLength = (int) (write ? remote().written() : receive.received());
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

    /**
     * Sets the source of a datagram. Queue pairs 0 and 1 serve all ports and partitions, so completions contain both.
     */
    private void describeSource(CompletionEntry entry, PacketContext packet) {
        qp.port().describeSource(packet.skb, entry);
        entry.flags |= checksumFlag(packet);
        entry.sourceQp = Deth.sourceQpn(packet.memory(), packet.at(Header.DETH));
        if (qp.type() == QpType.GSI || qp.type() == QpType.SMI) {
            entry.arrival(qp.port().pkeyIndex(packet.pkey()), qp.port().number());
        }
    }

    /** Management datagrams are not IP. */
    private int checksumFlag(PacketContext packet) {
        boolean right = qp.type() == QpType.UD
                && IpoibChecksums.areRight(packet.skb, packet.payloadOffset, packet.payloadBytes, qp.scratch());
        return right ? WcFlag.IP_CSUM_OK.bit() : 0;
    }

    /**
     * Takes the messages that wait in a link ring. Those that arrived as packets before are skipped. The caller owns
     * the engine. One long method, which the compiler does not inline: all that a message needs then fits into the
     * compiler's limits for depth and size.
     *
     * @param inLoop whether the caller owns the port loop
     * @return false if a message cannot be taken, or the owner of the port loop has to raise an event
     */
    public boolean takeFrom(LinkReader in, LinkDelivery link, boolean inLoop) {
        LinkMessage message = link.message();
        CompletionRing completions = receive.completions();
        boolean isShared = receive.isShared();
        boolean isEventDue = false;
        boolean hasMore = in.hasMessage();
        boolean taken = true;
        int left = MAX_TAKEN;
        while (taken && hasMore && left > 0 && (inLoop || !isEventDue)) {
            taken = in.read(message);
            if (taken && message.psn != order.expectedPsn()) {
                if (in.readStores(link)) {
                    pass(in.newMessages(), in.newPackets());
                }
                if (hasServed(message)) {
                    in.advance();
                    hasMore = in.hasMessage();
                    left--;
                    continue;
                }
            }
            taken = taken && takesNext(message.psn, inLoop);
            if (!taken) {
                break;
            }
            completions.lock();
            try {
                do {
                    taken = take(message, inLoop);
                    if (taken) {
                        link.countReceived();
                        in.advance();
                        hasMore = in.hasMessage();
                        left--;
                    }
                } while (taken
                        && hasMore
                        && left > 0
                        && !isShared
                        && in.read(message)
                        && message.psn == order.expectedPsn());
            } catch (IllegalStateException | InternalError gone) {
                // Packets follow, and the step that finds the error decides about the queue pair.
                taken = false;
            } finally {
                isEventDue |= completions.publish();
                completions.unlock();
            }
        }
        in.publish();
        return taken && (inLoop || !isEventDue);
    }

    /** True for a message that was executed before, because its packets arrived first. */
    private boolean hasServed(LinkMessage message) {
        return qp.state().servesRequests() && Psn.isBefore(message.psn, order.expectedPsn());
    }

    /** Takes note of messages that the peer has stored into memory of this end itself. */
    public void pass(int messages, int packets) {
        msn = Psn.add(msn, messages);
        order.pass(packets);
    }

    /** The completion queue of the receive requests. */
    public CompletionRing completions() {
        return receive.completions();
    }

    /**
     * True if the next message may be taken as a whole.
     *
     * @param psn of the message
     * @param inLoop whether the caller owns the port loop; if not, a shared receive queue is not used and no event
     *     becomes due
     */
    public boolean takesNext(int psn, boolean inLoop) {
        // First what may raise an event, whose handler may change the state.
        boolean hasReceives = receive.isShared() ? inLoop && receive.hold() : inLoop || qp.state() == QpState.RTS;
        return hasReceives
                && psn == order.expectedPsn()
                && servesRequests()
                && !inMessage
                && !order.hasGap()
                && (!response.isOwed() || response.isAck());
    }

    /** True if receive requests come from a shared queue. */
    public boolean isShared() {
        return receive.isShared();
    }

    /**
     * Takes the peer's next message as a whole and executes it if all checks pass. If one fails, the same message
     * arrives as packets and passes through the ladder. The caller holds the lock of the {@link #completions}, and
     * {@link #takesNext} was true for the first message since.
     *
     * @param inLoop whether the caller owns the port loop
     * @return false if nothing has happened: packets have to be sent
     * @throws IllegalStateException if memory of a queue was closed
     */
    public boolean take(LinkMessage message, boolean inLoop) {
        boolean takesReceive = message.opcode.takesReceive();
        boolean mayMove = isNext(message)
                && (!takesReceive || receive.completions().hasRoom(1) && receive.take() == Verdict.PASS);
        if (!mayMove || !move(message, inLoop)) {
            return false;
        }
        if (takesReceive) {
            boolean write = message.isWrite();
            WcOpcode opcode = write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV;
            boolean immediate = message.opcode.carries(Header.IMMDT);
            receive.completions()
                    .append(
                            receive.release(),
                            opcode,
                            message.length,
                            qp.qpn(),
                            immediate ? message.immediate : 0,
                            immediate ? WcFlag.WITH_IMM.bit() : 0,
                            message.solicited);
        }
        msn = Psn.next(msn);
        order.take(message);
        hasTaken |= inLoop;
        return true;
    }

    /** Handles that messages may have been taken, without the lock of the completion queue. */
    public void onTaken() {
        if (hasTaken) {
            hasTaken = false;
            establish();
        }
    }

    private boolean isNext(LinkMessage message) {
        return message.psn == order.expectedPsn()
                && message.packets == qp.connection().packets(message.length)
                && (qp.connection().accessFlags() & message.access()) == message.access();
    }

    /**
     * Copies the payload to its destination; false if that is not possible. If only a part was copied, packets write it
     * again.
     */
    private boolean move(LinkMessage message, boolean inLoop) {
        try {
            return message.isWrite()
                    ? remote().write(message, inLoop)
                    : message.length <= receive.bytesLeft()
                            && receive.scatter(message.memory, message.offset, message.length, inLoop);
        } catch (IllegalStateException | InternalError gone) {
            // Packets follow, and the step that finds the error decides about the queue pair.
            return false;
        }
    }

    /** Acts on the verdict of the ladder, for a reliable connection. */
    private void concludeReliable(Verdict newVerdict, PacketContext packet) {
        switch (newVerdict) {
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
                } else if (!remote().answerAgain(packet)) {
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
            default -> concludeError(newVerdict);
        }
    }

    /**
     * Handles an error. The NAK is sent after the responses to the requests before it, as IBA 9.7.5.1.1 orders them. A
     * connection that ends goes to ERR, where nothing more is sent, only then.
     */
    private void concludeError(Verdict newVerdict) {
        NakCode nak = newVerdict.nak();
        if (nak != null && newVerdict.isFatal() && areDataOwed()) {
            pendingError = newVerdict;
            return;
        }
        if (nak != null) {
            owe(nak);
        }
        if (newVerdict.isFatal()) {
            breakOff(newVerdict);
        }
    }

    /**
     * Acts on the verdict of the ladder, for unreliable services: the message is dropped without notice to the peer.
     */
    private void concludeUnreliable(Verdict newVerdict, PacketContext packet) {
        if (newVerdict == Verdict.PASS) {
            establish();
        } else if (newVerdict.isLocalError()) {
            breakOff(newVerdict);
        } else {
            drop(packet, newVerdict.name());
            droppingMessage = true;
            inMessage = false;
            endSharedReceive(newVerdict.nak());
        }
    }

    /**
     * Ends a message of an unreliable service that is dropped. A receive request that it took from a shared queue ends
     * with it (class E); one of the queue pair's own queue waits for the next message (class D).
     *
     * @param reason the NAK code for the peer of a reliable connection; null if the message may continue
     * @return false if the queue pair went to ERR, because its completion queue is full
     */
    private boolean endSharedReceive(@Nullable NakCode reason) {
        if (reason == null || !receive.isShared() || !receive.isHeld()) {
            return true;
        }
        boolean told = receive.complete(receive.completion(droppedStatus(reason), WcOpcode.RECV), true);
        if (!told) {
            breakOff(Verdict.COMPLETION_OVERRUN);
        }
        return told;
    }

    /** Status of a receive request whose message is dropped: as of the request at a reliable peer. */
    private static WcStatus droppedStatus(NakCode reason) {
        return switch (reason) {
            case PSN_SEQUENCE_ERROR -> WcStatus.RETRY_EXC_ERR;
            case REMOTE_ACCESS_ERROR -> WcStatus.REM_ACCESS_ERR;
            case REMOTE_OPERATIONAL_ERROR -> WcStatus.REM_OP_ERR;
            case INVALID_REQUEST, INVALID_RD_REQUEST -> WcStatus.REM_INV_REQ_ERR;
        };
    }

    /** Takes the queue pair to ERR: its current receive request ends, and the application is notified. */
    private void breakOff(Verdict newVerdict) {
        WcStatus status = newVerdict.receiveStatus();
        if (status != null && receive.isHeld()) {
            CompletionEntry entry = receive.completion(status, WcOpcode.RECV);
            entry.vendorError = toldPeer(newVerdict);
            receive.complete(entry, true);
        }
        EventType event = newVerdict.event();
        if (event != null) {
            qp.port().event(event);
        }
        qp.control().enterError();
    }

    /** The syndrome of the NAK for the peer; 0 if none is sent. */
    private int toldPeer(Verdict newVerdict) {
        NakCode nak = newVerdict.nak();
        return nak == null || !service.isReliable() ? 0 : Syndrome.nak(nak);
    }

    /** Raises COMM_EST once if the first packet of the peer arrives before the application sets RTS (IBA 11.6.3.2). */
    private void establish() {
        if (!established && qp.state() == QpState.RTR && service != TransportClass.UD) {
            established = true;
            qp.port().event(EventType.COMM_EST);
        }
    }

    /** True if the application knows that the peer sends: it has set RTS, or COMM_EST was raised. */
    public boolean isEstablished() {
        return established || qp.state() == QpState.RTS;
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

    /** True if a response is pending. */
    public boolean owesAnswers() {
        return response.isOwed() || areDataOwed() || pendingError != Verdict.PASS;
    }

    /** Handles that the queue pair is in ERR: only a pending NAK is still sent. */
    public void stop() {
        pendingError = Verdict.PASS;
        if (replays != null) {
            replays.abandon();
        }
        response.clearAck();
    }

    private void concludePendingError() {
        Verdict due = pendingError;
        if (due != Verdict.PASS && !areDataOwed()) {
            pendingError = Verdict.PASS;
            concludeError(due);
        }
    }

    /** True if only an acknowledgement is pending, which may be sent after or together with our own requests. */
    public boolean owesAcknowledgementOnly() {
        return pendingError == Verdict.PASS && response.isAck() && !areDataOwed();
    }

    /**
     * Sends pending responses until none is left or {@code budget} packets are sent.
     *
     * @param rateLimiter limits the data of READ responses; always the same
     * @return packets sent
     */
    public int sendAll(int budget, RateLimiter rateLimiter, long nowNs) {
        int left = budget;
        int sent = 1;
        while (left > 0 && sent > 0 && owesAnswers()) {
            sent = send(left, rateLimiter, nowNs);
            left -= sent;
        }
        return budget - left;
    }

    /**
     * Sends one buffer of the pending responses.
     *
     * @param budget packets at most, at least 1
     * @return packets sent; 0 if nothing is pending or there is no buffer
     */
    private int send(int budget, RateLimiter rateLimiter, long nowNs) {
        concludePendingError();
        ResponseQueue queue = answers(rateLimiter);
        int sent = queue.send(budget, order.acknowledgedPsn(), msn, creditCode(), nowNs);
        Verdict failure = queue.takeFailure();
        if (failure != Verdict.PASS) {
            breakOff(failure);
        }
        concludePendingError();
        return sent;
    }

    /**
     * Credits in acknowledgements: the number of receive requests, including that of the current message (IBA
     * 9.7.7.2.1). Requests of a shared queue are not announced.
     */
    private int creditCode() {
        boolean counted = qp.options().announcesCredits() && qp.type() == QpType.RC && !receive.isShared();
        return counted ? CreditCode.of(receive.ownWaiting()) : CreditCode.UNLIMITED;
    }

    /** Completes every receive of the queue pair's own queue with a flush error; the queue pair is in ERR. */
    public void flush() {
        receive.flush();
    }

    /** Frees the held packets: no more requests are executed. */
    public void dropHeld() {
        order.dropHeld();
    }
}
