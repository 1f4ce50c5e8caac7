package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.wire.AtomicEth;
import io.rdma4j.wire.Feth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Reth;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Serves the peer's requests (IBA 9.7.4, 9.7.5, 9.8, 9.9.3); answers to {@code rxe_receiver}.
 *
 * <p>Every packet climbs the same ladder: PSN, opcode sequence, operation, resources, length, key, execution, completion,
 * acknowledgement. A step that is not content says why by a {@link Verdict}, and {@code conclude…} acts on it, as the
 * service of the queue pair demands.
 */
final class Responder {
    /** IBA 9.3.3: no message is longer. */
    private static final long MAX_MESSAGE_BYTES = 1L << 31;

    private final QpEngine qp;
    private final ReceiveSlot receive;
    private final RemoteTarget target;
    private final ReplayTable replays = new ReplayTable();
    private final Response response = new Response();
    private final Answers answers;

    private int expectedPsn;
    private int msn;
    private boolean gapReported;
    private boolean droppingMessage;
    private boolean inMessage;
    private Operation messageOperation = Operation.SEND;
    private long written;

    Responder(QpEngine qp) {
        this.qp = qp;
        this.receive = new ReceiveSlot(qp.receiveQueue(), qp.keys(), qp.protectionDomain());
        this.target = new RemoteTarget(qp.keys(), qp.protectionDomain());
        this.answers = new Answers(qp, replays, response);
    }

    /** Forgets everything, posted receives too, without completing them. */
    void reset() {
        receive.reset();
        response.clear();
        replays.clear();
        msn = 0;
        gapReported = false;
        droppingMessage = false;
        inMessage = false;
    }

    /** Sets the first PSN expected. */
    void startAt(int firstPsn) {
        expectedPsn = firstPsn;
    }

    /** Sets how many READs and atomics are served at once. */
    void maxReadsAndAtomics(int limit) {
        replays.resize(limit);
    }

    int expectedPsn() {
        return expectedPsn;
    }

    /** The ladder of a request packet. */
    void onRequest(PacketContext packet) {
        if (!qp.state().servesRequests()) {
            qp.counters().droppedPackets++;
            return;
        }
        Verdict verdict = climb(packet);
        if (qp.service().isReliable()) {
            concludeReliable(verdict, packet);
        } else {
            concludeUnreliable(verdict);
        }
    }

    private Verdict climb(PacketContext packet) {
        Verdict verdict = qp.service().isReliable() ? checkPsn(packet) : checkUnreliablePsn(packet);
        if (verdict == Verdict.PASS) {
            verdict = checkOpcodeSequence(packet.opcode);
        }
        if (verdict == Verdict.PASS) {
            verdict = checkOperation(packet);
        }
        if (verdict == Verdict.PASS) {
            verdict = checkResource(packet);
        }
        if (verdict == Verdict.PASS) {
            verdict = checkKey(packet);
        }
        if (verdict == Verdict.PASS) {
            verdict = checkLength(packet);
        }
        if (verdict == Verdict.PASS) {
            verdict = execute(packet);
        }
        if (verdict == Verdict.PASS && packet.lastOpcode.endsMessage()) {
            verdict = complete(packet);
        }
        if (verdict == Verdict.PASS) {
            expectedPsn = nextExpected(packet);
        }
        return verdict;
    }

    /** IBA 9.7.4.1.2, 9.7.5.1.3: the next packet, a missing one before it, or an old one. */
    private Verdict checkPsn(PacketContext packet) {
        int ahead = Psn.distance(packet.psn, expectedPsn);
        if (ahead > 0) {
            qp.counters().outOfSequenceRequests++;
            return gapReported ? Verdict.DROP : Verdict.SEQUENCE_ERROR;
        }
        if (ahead < 0) {
            if (packet.packets <= -ahead) {
                qp.counters().duplicateRequests += packet.packets;
                return Verdict.DUPLICATE;
            }
            qp.counters().duplicateRequests -= ahead;
            packet.dropFirst(-ahead);
        }
        gapReported = false;
        return Verdict.PASS;
    }

    /** IBA 9.8.3: what is lost is lost; the next message that begins is served, whatever its PSN. */
    private Verdict checkUnreliablePsn(PacketContext packet) {
        boolean expected = packet.psn == expectedPsn && !droppingMessage;
        if (qp.service() == TransportClass.UD || expected) {
            return Verdict.PASS;
        }
        if (!packet.opcode.startsMessage()) {
            droppingMessage = true;
            return Verdict.DROP;
        }
        droppingMessage = false;
        inMessage = false;
        return Verdict.PASS;
    }

    /** IBA 9.7.4.1.5: messages do not overlap. */
    private Verdict checkOpcodeSequence(Opcode opcode) {
        boolean follows = opcode.startsMessage() ? !inMessage : inMessage && opcode.operation() == messageOperation;
        return follows ? Verdict.PASS : Verdict.OPCODE_SEQUENCE;
    }

    /** IBA 9.7.4.1.4, 9.7.4.1.5: only what this queue pair serves and its attributes allow. */
    private Verdict checkOperation(PacketContext packet) {
        int needed = RequestRules.access(packet);
        boolean allowed = (qp.accessFlags() & needed) == needed && !packet.lastOpcode.carries(Header.IETH);
        return allowed ? Verdict.PASS : Verdict.UNSUPPORTED_REQUEST;
    }

    /** IBA 9.7.4.1.6, 9.7.5.2.8: a message needs a receive request, a READ or atomic a place in the replay table. */
    private Verdict checkResource(PacketContext packet) {
        if (packet.opcode.hasOwnResponse() && !replays.hasRoom()) {
            return Verdict.TOO_MANY_REQUESTS;
        }
        boolean takes = packet.opcode.takesReceive() || packet.lastOpcode.takesReceive();
        return takes ? receive.take() : Verdict.PASS;
    }

    /** IBA 9.7.4.1.7, 9.7.5.2.7: the memory that the request names. */
    private Verdict checkKey(PacketContext packet) {
        MemorySegment memory = packet.memory();
        if (packet.opcode.isAtomic()) {
            long at = packet.at(Header.ATOMICETH);
            return resolveWord(AtomicEth.rkey(memory, at), AtomicEth.virtualAddress(memory, at), packet);
        }
        if (!packet.opcode.startsMessage() || !packet.opcode.carries(Header.RETH)) {
            return Verdict.PASS;
        }
        long at = packet.at(Header.RETH);
        int rkey = Reth.rkey(memory, at);
        long address = Reth.virtualAddress(memory, at);
        long length = Reth.dmaLength(memory, at);
        return switch (packet.opcode.operation()) {
            case ATOMIC_WRITE -> length == Long.BYTES ? resolveWord(rkey, address, packet) : Verdict.BAD_LENGTH;
            case FLUSH -> resolveFlush(rkey, address, length, packet);
            default -> {
                written = 0;
                yield length > MAX_MESSAGE_BYTES ? Verdict.BAD_LENGTH : resolve(rkey, address, length, packet);
            }
        };
    }

    private Verdict resolve(int rkey, long address, long length, PacketContext packet) {
        boolean found = target.resolve(rkey, address, length, RequestRules.access(packet));
        return found ? Verdict.PASS : Verdict.REMOTE_ACCESS;
    }

    /** Eight bytes that are changed at once: their address must be a multiple of eight for the peer and for this machine. */
    private Verdict resolveWord(int rkey, long address, PacketContext packet) {
        if ((address & (Long.BYTES - 1)) != 0) {
            return Verdict.MISALIGNED_ATOMIC;
        }
        Verdict verdict = resolve(rkey, address, Long.BYTES, packet);
        return verdict != Verdict.PASS || target.isAligned() ? verdict : Verdict.MISALIGNED_ATOMIC;
    }

    private Verdict resolveFlush(int rkey, long address, long length, PacketContext packet) {
        return switch (Feth.selectivity(packet.memory(), packet.at(Header.FETH))) {
            case Feth.SELECTIVITY_RANGE -> resolve(rkey, address, length, packet);
            case Feth.SELECTIVITY_MR ->
                target.resolveWhole(rkey, RequestRules.access(packet)) ? Verdict.PASS : Verdict.REMOTE_ACCESS;
            default -> Verdict.UNSUPPORTED_REQUEST;
        };
    }

    /** IBA 9.7.4.1.7: the packet fits the path, and the message fits the receive request or the length announced. */
    private Verdict checkLength(PacketContext packet) {
        if (!RequestRules.fitsPath(packet, qp.pathMtuBytes())) {
            return Verdict.BAD_LENGTH;
        }
        return switch (packet.opcode.operation()) {
            case SEND -> packet.payloadBytes <= receive.room() ? Verdict.PASS : Verdict.RECEIVE_TOO_SHORT;
            case WRITE -> {
                boolean fits = packet.lastOpcode.endsMessage()
                        ? packet.payloadBytes == target.left()
                        : packet.payloadBytes < target.left();
                yield fits ? Verdict.PASS : Verdict.BAD_LENGTH;
            }
            default -> Verdict.PASS;
        };
    }

    private Verdict execute(PacketContext packet) {
        Verdict verdict = switch (packet.opcode.operation()) {
            case SEND -> executeSend(packet);
            case WRITE -> executeWrite(packet);
            default -> executeWithAnswer(packet);
        };
        if (verdict == Verdict.PASS) {
            inMessage = true;
            messageOperation = packet.opcode.operation();
        }
        return verdict;
    }

    private Verdict executeSend(PacketContext packet) {
        if (!receive.scatter(packet.skb, packet.payloadOffset, packet.payloadBytes)) {
            return hasPayload(packet.skb) ? Verdict.RECEIVE_PROTECTION : Verdict.DROP;
        }
        return Verdict.PASS;
    }

    private Verdict executeWrite(PacketContext packet) {
        if (!target.write(packet.skb, packet.payloadOffset, packet.payloadBytes)) {
            return hasPayload(packet.skb) ? Verdict.REMOTE_ACCESS : Verdict.DROP;
        }
        written += packet.payloadBytes;
        return Verdict.PASS;
    }

    /** False if the sender, on this host, has closed the memory that the payload lies in: its requester will find out. */
    private static boolean hasPayload(SkBuff skb) {
        for (int i = 0; i < skb.fragCount(); i++) {
            if (!skb.fragMemory(i).scope().isAlive()) {
                return false;
            }
        }
        return true;
    }

    /** READ, atomics, FLUSH and ATOMIC WRITE: done now, except for READ, and answered when the answers are sent. */
    private Verdict executeWithAnswer(PacketContext packet) {
        MemorySegment memory = packet.memory();
        ReplayEntry entry = replays.add();
        entry.begin(packet.opcode.operation(), packet.psn, 1);
        try {
            switch (entry.operation) {
                case READ_REQUEST -> beginRead(entry, packet);
                case COMPARE_SWAP -> {
                    long at = packet.at(Header.ATOMICETH);
                    entry.original =
                            target.compareAndSwap(AtomicEth.compare(memory, at), AtomicEth.swapOrAdd(memory, at));
                }
                case FETCH_ADD ->
                    entry.original = target.fetchAndAdd(AtomicEth.swapOrAdd(memory, packet.at(Header.ATOMICETH)));
                case ATOMIC_WRITE -> {
                    MemorySegment value = qp.scratch();
                    packet.skb.copyBits(packet.payloadOffset, value, 0, Long.BYTES);
                    target.store(value.get(ValueLayout.JAVA_LONG, 0));
                }
                case FLUSH -> {
                    int placement = Feth.placement(memory, packet.at(Header.FETH));
                    target.flush((placement & Feth.PLACEMENT_PERSISTENT) != 0);
                }
                default -> throw new IllegalStateException(entry.operation + " has no answer");
            }
        } catch (IllegalStateException closed) {
            entry.owed = false;
            return Verdict.REMOTE_ACCESS;
        }
        return Verdict.PASS;
    }

    private void beginRead(ReplayEntry entry, PacketContext packet) {
        long at = packet.at(Header.RETH);
        entry.address = Reth.virtualAddress(packet.memory(), at);
        entry.rkey = Reth.rkey(packet.memory(), at);
        entry.length = Reth.dmaLength(packet.memory(), at);
        entry.begin(Operation.READ_REQUEST, packet.psn, qp.packets(entry.length));
    }

    /** A READ takes the PSNs of its answer. */
    private int nextExpected(PacketContext packet) {
        if (packet.opcode.operation() != Operation.READ_REQUEST) {
            return Psn.next(packet.lastPsn());
        }
        long length = Reth.dmaLength(packet.memory(), packet.at(Header.RETH));
        return Psn.add(packet.psn, qp.packets(length));
    }

    private Verdict complete(PacketContext packet) {
        inMessage = false;
        msn = Psn.next(msn);
        if (!packet.lastOpcode.completesReceive()) {
            return Verdict.PASS;
        }
        boolean write = packet.opcode.operation() == Operation.WRITE;
        CompletionEntry entry =
                receiveCompletion(WcStatus.SUCCESS, write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV);
        entry.byteLength = (int) (write ? written : receive.received());
        if (packet.lastOpcode.carries(Header.IMMDT)) {
            entry.flags = WcFlag.WITH_IMM.bit();
            entry.immediate = packet.lastWord;
        }
        qp.counters().receives++;
        return finishReceive(entry, packet.solicited) ? Verdict.PASS : Verdict.COMPLETION_OVERRUN;
    }

    /** Acts on what the ladder said, for a reliable connection. */
    private void concludeReliable(Verdict verdict, PacketContext packet) {
        switch (verdict) {
            case PASS -> {
                establish();
                if (packet.ackRequest && !packet.opcode.hasOwnResponse()) {
                    oweAck();
                }
            }
            case DROP -> qp.counters().droppedPackets++;
            case DUPLICATE -> answerAgain(packet);
            case RECEIVER_NOT_READY -> {
                gapReported = true;
                qp.counters().sentRnrNaks++;
                response.oweRnrNak(qp.minRnrTimer(), expectedPsn);
            }
            default -> {
                NakCode nak = verdict.nak();
                if (nak != null) {
                    gapReported = true;
                    response.oweNak(nak, expectedPsn);
                }
                if (verdict.isFatal()) {
                    breakOff(verdict);
                }
            }
        }
    }

    /** Acts on what the ladder said, for services that promise nothing: the message is dropped, and nobody is told. */
    private void concludeUnreliable(Verdict verdict) {
        if (verdict == Verdict.PASS) {
            establish();
        } else if (verdict.isLocalError()) {
            breakOff(verdict);
        } else {
            qp.counters().droppedPackets++;
            droppingMessage = true;
            inMessage = false;
        }
    }

    /** The queue pair can do no more: its receive request under way ends, the application is told. */
    void breakOff(Verdict verdict) {
        WcStatus status = verdict.receiveStatus();
        if (status != null) {
            finishReceive(receiveCompletion(status, WcOpcode.RECV), true);
        }
        EventType event = verdict.event();
        if (event != null) {
            qp.port().event(event);
        }
        qp.enterError();
    }

    private void establish() {
        if (qp.state() == QpState.RTR) {
            qp.establish();
        }
    }

    /** IBA 9.7.5.1.3: READs are carried out again, atomics and their like only answered again, all else acknowledged. */
    private void answerAgain(PacketContext packet) {
        if (!packet.opcode.hasOwnResponse()) {
            oweAck();
            return;
        }
        ReplayEntry entry = replays.find(packet.psn);
        if (entry == null || entry.operation != packet.opcode.operation()) {
            qp.counters().droppedPackets++;
        } else if (entry.operation != Operation.READ_REQUEST) {
            entry.oweFrom(entry.firstPsn);
        } else if (isPartOf(entry, packet)) {
            entry.oweFrom(packet.psn);
        } else {
            qp.counters().droppedPackets++;
        }
    }

    /** A READ that is asked for again may ask for the rest of it only. */
    private boolean isPartOf(ReplayEntry entry, PacketContext packet) {
        long at = packet.at(Header.RETH);
        long offset = (long) Psn.distance(packet.psn, entry.firstPsn) * qp.pathMtuBytes();
        return Reth.rkey(packet.memory(), at) == entry.rkey
                && Reth.virtualAddress(packet.memory(), at) == entry.address + offset
                && Reth.dmaLength(packet.memory(), at) == entry.length - offset;
    }

    private void oweAck() {
        if (response.oweAck()) {
            qp.counters().deferredAcks++;
        }
    }

    /**
     * Sends answers that are owed.
     *
     * @param budget packets at most, at least 1
     * @return packets sent; 0 if nothing is owed or there is no buffer
     */
    int send(int budget) {
        return answers.send(budget, expectedPsn, msn);
    }

    /** Completes every posted receive with a flush error; the queue pair is in ERR. */
    void flush() {
        while (!receive.isEmpty()) {
            finishReceive(receiveCompletion(WcStatus.WR_FLUSH_ERR, WcOpcode.RECV), false);
        }
    }

    private CompletionEntry receiveCompletion(WcStatus status, WcOpcode opcode) {
        return qp.completion(receive.wrId(), status, opcode);
    }

    /** Posts the completion of the receive request under way and gives its slot back; false if there was no room. */
    private boolean finishReceive(CompletionEntry entry, boolean solicited) {
        receive.release();
        return qp.postReceiveCompletion(entry, solicited);
    }
}
