package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.Ring;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import java.lang.foreign.MemorySegment;

/**
 * Serves the peer's requests (IBA 9.7.4, 9.7.5, 9.9.3); answers to {@code rxe_receiver}.
 *
 * <p>Every packet climbs the same ladder: PSN, opcode sequence, operation, resources, length, execution, completion,
 * acknowledgement. A step that is not content says why by a {@link Verdict}, and {@link #conclude} acts on it.
 */
final class Responder {
    private final QpEngine qp;
    private final ReceiveQueue queue;
    private final Ring ring;
    private final MemorySegment memory;
    private final SgeCursor cursor;
    private final Response response = new Response();

    private int expectedPsn;
    private int msn;
    private boolean gapReported;
    private boolean inMessage;
    private long receivedBytes;

    Responder(QpEngine qp) {
        this.qp = qp;
        this.queue = qp.receiveQueue();
        this.ring = queue.ring();
        this.memory = queue.memory();
        this.cursor = new SgeCursor(qp.keys(), qp.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /** Forgets everything, posted receives too, without completing them. */
    void reset() {
        ring.publishConsumer(ring.acquireProducer());
        response.clear();
        msn = 0;
        gapReported = false;
        inMessage = false;
    }

    /** Sets the first PSN expected. */
    void startAt(int firstPsn) {
        expectedPsn = firstPsn;
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
        conclude(climb(packet), packet);
    }

    private Verdict climb(PacketContext packet) {
        Verdict verdict = checkPsn(packet);
        if (verdict == Verdict.PASS) {
            verdict = checkOpcodeSequence(packet.opcode);
        }
        if (verdict == Verdict.PASS) {
            verdict = checkOperation(packet);
        }
        if (verdict == Verdict.PASS) {
            verdict = checkResource(packet.opcode);
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
            expectedPsn = Psn.next(packet.lastPsn());
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

    /** IBA 9.7.4.1.5: messages do not overlap. */
    private Verdict checkOpcodeSequence(Opcode opcode) {
        return opcode.startsMessage() == inMessage ? Verdict.OPCODE_SEQUENCE : Verdict.PASS;
    }

    /** IBA 9.7.4.1.4: only what this queue pair serves. */
    private static Verdict checkOperation(PacketContext packet) {
        boolean served = packet.opcode.operation() == Operation.SEND && !packet.lastOpcode.carries(Header.IETH);
        return served ? Verdict.PASS : Verdict.UNSUPPORTED_REQUEST;
    }

    /** IBA 9.7.4.1.6, 9.7.5.2.8: a message needs a receive request. */
    private Verdict checkResource(Opcode opcode) {
        if (!opcode.startsMessage()) {
            return Verdict.PASS;
        }
        if (!hasReceive()) {
            return Verdict.RECEIVER_NOT_READY;
        }
        int numSge = ReceiveQueue.numSge(memory, wqe());
        if (numSge < 0 || numSge > queue.maxSge()) {
            return Verdict.RECEIVE_MALFORMED;
        }
        cursor.begin(memory, ReceiveQueue.sge(wqe(), 0), numSge);
        receivedBytes = 0;
        return Verdict.PASS;
    }

    /** IBA 9.7.4.1.7: all packets of a message but the last are full, and the message fits the receive request. */
    private Verdict checkLength(PacketContext packet) {
        int mtu = qp.pathMtuBytes();
        if (packet.skb.isGso() && packet.skb.gsoSize() != mtu) {
            return Verdict.BAD_LENGTH;
        }
        long lastBytes = packet.payloadBytes - (long) (packet.packets - 1) * mtu;
        boolean empty = packet.opcode.startsMessage() && packet.packets == 1;
        boolean fits =
                packet.lastOpcode.endsMessage() ? lastBytes <= mtu && lastBytes >= (empty ? 0 : 1) : lastBytes == mtu;
        if (!fits) {
            return Verdict.BAD_LENGTH;
        }
        long room = Integer.toUnsignedLong(ReceiveQueue.length(memory, wqe())) - receivedBytes;
        return packet.payloadBytes <= room ? Verdict.PASS : Verdict.RECEIVE_TOO_SHORT;
    }

    private Verdict execute(PacketContext packet) {
        if (!cursor.scatter(packet.skb, packet.payloadOffset, packet.payloadBytes)) {
            return hasPayload(packet.skb) ? Verdict.RECEIVE_PROTECTION : Verdict.DROP;
        }
        receivedBytes += packet.payloadBytes;
        inMessage = true;
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

    private Verdict complete(PacketContext packet) {
        inMessage = false;
        msn = Psn.next(msn);
        CompletionEntry entry = receiveCompletion(WcStatus.SUCCESS);
        entry.byteLength = (int) receivedBytes;
        if (packet.lastOpcode.carries(Header.IMMDT)) {
            entry.flags = WcFlag.WITH_IMM.bit();
            entry.immediate = packet.immediate;
        }
        qp.counters().receives++;
        return finishReceive(entry, packet.solicited) ? Verdict.PASS : Verdict.COMPLETION_OVERRUN;
    }

    /** Acts on what the ladder said. */
    private void conclude(Verdict verdict, PacketContext packet) {
        switch (verdict) {
            case PASS -> {
                if (qp.state() == QpState.RTR) {
                    qp.establish();
                }
                if (packet.ackRequest) {
                    oweAck();
                }
            }
            case DROP -> qp.counters().droppedPackets++;
            case DUPLICATE -> oweAck();
            case RECEIVER_NOT_READY -> {
                gapReported = true;
                qp.counters().sentRnrNaks++;
                response.oweRnrNak(qp.minRnrTimer(), expectedPsn);
            }
            default -> conclude(verdict);
        }
    }

    private void conclude(Verdict verdict) {
        NakCode nak = verdict.nak();
        if (nak != null) {
            gapReported = true;
            response.oweNak(nak, expectedPsn);
        }
        WcStatus status = verdict.receiveStatus();
        if (status != null) {
            finishReceive(receiveCompletion(status), true);
        }
        EventType event = verdict.event();
        if (event != null) {
            qp.port().event(event);
        }
        if (verdict.isFatal()) {
            qp.enterError();
        }
    }

    private void oweAck() {
        if (response.oweAck()) {
            qp.counters().deferredAcks++;
        }
    }

    /** True if the peer is owed an answer. */
    boolean owesResponse() {
        return response.isOwed();
    }

    /**
     * Sends the answer that is owed.
     *
     * @return false if there was no buffer for it
     */
    boolean sendResponse() {
        SkBuff skb = qp.port().allocate();
        if (skb == null) {
            return false;
        }
        Opcode opcode = Opcode.RC_ACKNOWLEDGE;
        int at = skb.put(opcode.headerBytes());
        Bth.write(
                skb.memory(),
                at,
                opcode,
                false,
                true,
                0,
                qp.pkey(),
                qp.destinationQpn(),
                false,
                response.psn(expectedPsn));
        Aeth.write(skb.memory(), at + opcode.offsetOf(Header.AETH), response.syndrome(), msn);
        response.clear();
        qp.port().transmit(skb);
        return true;
    }

    /** Completes every posted receive with a flush error; the queue pair is in ERR. */
    void flush() {
        while (hasReceive()) {
            finishReceive(receiveCompletion(WcStatus.WR_FLUSH_ERR), false);
        }
    }

    private boolean hasReceive() {
        return ring.ownConsumer() != ring.acquireProducer();
    }

    private long wqe() {
        return ring.offset(ring.ownConsumer());
    }

    private CompletionEntry receiveCompletion(WcStatus status) {
        return qp.completion(ReceiveQueue.wrId(memory, wqe()), status, WcOpcode.RECV);
    }

    /** Posts the completion of the receive request at the head and gives its slot back; false if there was no room. */
    private boolean finishReceive(CompletionEntry entry, boolean solicited) {
        ring.publishConsumer(ring.next(ring.ownConsumer()));
        return qp.postReceiveCompletion(entry, solicited);
    }
}
