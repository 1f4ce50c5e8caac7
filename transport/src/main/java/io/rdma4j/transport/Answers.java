package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.AtomicAckEth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Position;
import io.rdma4j.wire.Syndrome;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What a responder owes its peer, in the order in which it must be sent: the answers to READs and atomics first, oldest to
 * newest, then the one acknowledgement that speaks for everything before it ({@link Response}).
 *
 * <p>An answer to a READ goes out as trains of response packets whose fragments are the memory that is read.
 */
final class Answers {
    private final QpEngine qp;
    private final ReplayTable replays;
    private final Response response;
    private final RemoteTarget target;
    private final RateLimiter rateLimiter;

    /** The AETH of the answer that is being sent, as a number. */
    private int aeth;

    Answers(QpEngine qp, ReplayTable replays, Response response, RateLimiter rateLimiter) {
        this.qp = qp;
        this.replays = replays;
        this.response = response;
        this.target = new RemoteTarget(qp.keys(), qp);
        this.rateLimiter = rateLimiter;
    }

    /** The queue pair is in ERR: only a NAK is sent now. */
    void stop() {
        replays.abandon();
        response.clearAck();
    }

    /** True if a READ, an atomic or another request with an answer of its own is to be answered. */
    boolean areDataOwed() {
        return replays.firstOwed() != null;
    }

    boolean isOwed() {
        return response.isOwed() || areDataOwed();
    }

    /**
     * Sends one buffer of what is owed.
     *
     * @param budget packets at most, at least 1
     * @param acknowledgedPsn packet that an acknowledgement names
     * @param msn messages completed, 24 bits
     * @param creditCode what to say of receive requests, 5 bits
     * @return packets sent; 0 if there is nothing to send, or no buffer for it
     */
    int send(int budget, int acknowledgedPsn, int msn, int creditCode, long nowNs) {
        ReplayEntry entry = nextOwed();
        int packets = entry == null ? 0 : packets(entry, budget);
        boolean ready = entry == null ? response.isOwed() && !waits() : packets > 0;
        if (!ready) {
            return 0;
        }
        int psn = response.psn(acknowledgedPsn);
        int word = Aeth.word(response.syndrome(creditCode), msn);
        if (isAcknowledgementOnly() && qp.isPlain() && acknowledgeByNote(psn, word)) {
            return 1;
        }
        SkBuff skb = qp.port().allocate();
        if (skb == null) {
            return 0;
        }
        if (entry == null) {
            writeHeaders(skb, opcode(Operation.ACKNOWLEDGE, Position.SINGLE), 0, psn, word);
            response.clear();
            qp.port().transmit(skb);
            return 1;
        }
        aeth = Aeth.word(Syndrome.ack(creditCode), msn);
        int sent = Math.min(budget, sendAnswer(skb, entry, packets, nowNs));
        if (sent > 0 && Psn.isBefore(acknowledgedPsn, entry.firstPsn) && response.isAck()) {
            // An answer speaks for all packets before its own request (IBA 9.7.5.1.2).
            response.clear();
            qp.counters().deferredAcks++;
        }
        return sent;
    }

    /** Tells a peer on this machine, whose messages came past packets, the same way. */
    private boolean acknowledgeByNote(int psn, int word) {
        WholeMessage note = qp.context().wholeMessage();
        note.beginWithout();
        note.acknowledge(psn, word);
        qp.address(note);
        boolean gone = qp.port().answer(note);
        if (gone) {
            response.clear();
        }
        return gone;
    }

    private int sendAnswer(SkBuff skb, ReplayEntry entry, int packets, long nowNs) {
        return switch (entry.operation) {
            case READ_REQUEST -> sendRead(skb, entry, packets, nowNs);
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD -> sendAtomic(skb, entry);
            default -> sendEmpty(skb, entry);
        };
    }

    /** True if nothing is owed but an acknowledgement, which may go behind requests of our own, that is, along with them. */
    boolean isAcknowledgementOnly() {
        return response.isAck() && !areDataOwed();
    }

    private boolean waits() {
        return response.isAck() && qp.port().keepsAcknowledgement();
    }

    /** The oldest request to be answered, but for repetitions whose memory was taken away in the meantime. */
    private @Nullable ReplayEntry nextOwed() {
        ReplayEntry entry = replays.firstOwed();
        while (entry != null && isOutlived(entry)) {
            // A straggler: the peer, which has had its answer, allowed the key to be taken back. It has done nothing
            // wrong.
            entry.owed = false;
            qp.counters().droppedPackets++;
            entry = replays.firstOwed();
        }
        return entry;
    }

    private boolean isOutlived(ReplayEntry entry) {
        return entry.wasAnswered
                && entry.operation == Operation.READ_REQUEST
                && !resolve(entry, offset(entry), (int) Math.min(entry.length - offset(entry), 1));
    }

    private long offset(ReplayEntry entry) {
        return (long) Psn.distance(entry.nextPsn, entry.firstPsn)
                * qp.connection().pathMtuBytes();
    }

    private boolean resolve(ReplayEntry entry, long offset, int bytes) {
        int right = AccessFlag.REMOTE_READ.bit();
        return target.resolve(entry.protectionDomain, entry.rkey, entry.address + offset, bytes, right);
    }

    /**
     * How many packets of an answer may go now: those of a READ are data, which take their time. What the peer reads in place costs
     * no more than the budget, however long it is.
     */
    private int packets(ReplayEntry entry, int budget) {
        if (entry.operation != Operation.READ_REQUEST) {
            return 1;
        }
        Connection connection = qp.connection();
        int usual = connection.maxTrainPackets();
        int burstBytes =
                entry.packetsLeft() > usual && !entry.isCopied ? qp.port().burstBytes() : 0;
        int most = burstBytes > 0 ? connection.maxTrainPackets(burstBytes) : Math.min(budget, usual);
        return Math.min(most, rateLimiter.packets(connection.pathMtuBytes()));
    }

    private int sendRead(SkBuff skb, ReplayEntry entry, int most, long nowNs) {
        int mtu = qp.connection().pathMtuBytes();
        int count = Math.min(most, entry.packetsLeft());
        long offset = offset(entry);
        int bytes = (int) Math.min(entry.length - offset, (long) count * mtu);
        if (!resolve(entry, offset, bytes)) {
            // The memory was taken away while its bytes were under way.
            skb.free();
            response.oweNak(NakCode.REMOTE_ACCESS_ERROR, entry.nextPsn);
            qp.breakOff(Verdict.REMOTE_ACCESS);
            return 0;
        }
        writeReadHeaders(skb, entry, count, bytes);
        if (!target.addTo(skb, bytes)) {
            // Too many pieces of memory for one buffer; those of a single packet always fit.
            return sendShorter(skb, entry, count / 2, nowNs);
        }
        int usual = qp.connection().maxTrainPackets();
        if (count > usual && !qp.port().readsInPlace(skb)) {
            entry.isCopied = true;
            return sendShorter(skb, entry, usual, nowNs);
        }
        entry.sent(count);
        rateLimiter.sent(skb.len(), nowNs);
        qp.port().transmit(skb);
        return count;
    }

    private int sendShorter(SkBuff tooLong, ReplayEntry entry, int most, long nowNs) {
        tooLong.free();
        SkBuff skb = qp.port().allocate();
        return skb == null ? 0 : sendRead(skb, entry, most, nowNs);
    }

    private void writeReadHeaders(SkBuff skb, ReplayEntry entry, int count, int bytes) {
        boolean starts = entry.nextPsn == entry.startPsn;
        boolean ends = count == entry.packetsLeft();
        Opcode opcode = opcode(Operation.READ_RESPONSE, position(starts, ends && count == 1));
        int pad = count == 1 ? -bytes & 3 : 0;
        writeHeaders(skb, opcode, pad, entry.nextPsn, aeth);
        if (count > 1) {
            Opcode last = opcode(Operation.READ_RESPONSE, position(false, ends));
            Train train = qp.context().train();
            train.over(skb);
            train.describeLast(last, false, false, aeth);
            skb.gso(qp.connection().pathMtuBytes(), count);
        }
    }

    private int sendAtomic(SkBuff skb, ReplayEntry entry) {
        Opcode opcode = opcode(Operation.ATOMIC_ACKNOWLEDGE, Position.SINGLE);
        int at = writeHeaders(skb, opcode, 0, entry.firstPsn, aeth);
        AtomicAckEth.write(skb.memory(), at + opcode.offsetOf(Header.ATOMICACKETH), entry.original);
        entry.sent(1);
        qp.port().transmit(skb);
        return 1;
    }

    /** FLUSH and ATOMIC WRITE are answered by an empty READ response. */
    private int sendEmpty(SkBuff skb, ReplayEntry entry) {
        Opcode opcode = opcode(Operation.READ_RESPONSE, Position.ONLY);
        writeHeaders(skb, opcode, 0, entry.firstPsn, aeth);
        entry.sent(1);
        qp.port().transmit(skb);
        return 1;
    }

    private int writeHeaders(SkBuff skb, Opcode opcode, int pad, int psn, int word) {
        int at = skb.put(opcode.headerBytes());
        MemorySegment memory = skb.memory();
        Bth.write(
                memory,
                at,
                opcode,
                false,
                qp.migration().isRequested(),
                pad,
                qp.connection().pkey(),
                qp.connection().destinationQpn(),
                false,
                psn);
        if (opcode.carries(Header.AETH)) {
            Aeth.write(memory, at + opcode.offsetOf(Header.AETH), Aeth.syndromeOf(word), Aeth.msnOf(word));
        }
        return at;
    }

    private static Position position(boolean starts, boolean ends) {
        if (starts) {
            return ends ? Position.ONLY : Position.FIRST;
        }
        return ends ? Position.LAST : Position.MIDDLE;
    }

    private Opcode opcode(Operation operation, Position position) {
        return WireOperation.response(qp.service(), operation, position);
    }
}
