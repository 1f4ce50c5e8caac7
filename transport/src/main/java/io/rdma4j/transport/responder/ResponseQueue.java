// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.ConnectionAttributes;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RateLimiter;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.Train;
import io.rdma4j.verbs.values.AccessFlag;
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
 * The pending responses of a responder, in the order in which they must be sent: the responses to READs and atomics
 * first, oldest to newest, then the one acknowledgement that covers everything before it ({@link PendingAck}).
 *
 * <p>A READ response is sent as trains of packets whose fragments are the memory that is read.
 */
final class ResponseQueue {
    private final QpCore qp;
    private final ReplayTable replays;
    private final PendingAck response;
    private @Nullable RemoteTarget target;
    private final RateLimiter rateLimiter;

    /** The AETH of the response that is being sent, as a number. */
    private int aeth;

    /** The error that ends the connection since the last call of {@link #takeFailure}. */
    private Verdict failure = Verdict.PASS;

    ResponseQueue(QpCore qp, ReplayTable replays, PendingAck response, RateLimiter rateLimiter) {
        this.qp = qp;
        this.replays = replays;
        this.response = response;
        this.rateLimiter = rateLimiter;
    }

    /** The memory that the peer names; made at the first request that names some. */
    private RemoteTarget target() {
        RemoteTarget made = target;
        if (made == null) {
            made = new RemoteTarget(qp.keys(), qp);
            target = made;
        }
        return made;
    }

    /**
     * Sends one buffer of the pending responses.
     *
     * @param budget packets at most, at least 1
     * @param acknowledgedPsn the PSN of an acknowledgement
     * @param msn messages completed, 24 bits
     * @param creditCode receive credits, 5 bits
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
            // A response acknowledges all packets before its own request (IBA 9.7.5.1.2).
            response.clear();
            qp.counters().deferredAcks++;
        }
        return sent;
    }

    /** The error that {@link #send} met: the memory for a response is no longer accessible; PASS if there is none. */
    Verdict takeFailure() {
        Verdict taken = failure;
        failure = Verdict.PASS;
        return taken;
    }

    private int sendAnswer(SkBuff skb, ReplayEntry entry, int packets, long nowNs) {
        return switch (entry.operation) {
            case READ_REQUEST -> sendRead(skb, entry, packets, nowNs);
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD -> sendAtomic(skb, entry);
            default -> sendEmpty(skb, entry);
        };
    }

    private boolean waits() {
        return response.isAck() && qp.port().keepsAcknowledgement();
    }

    /** The oldest request with a pending response, without duplicates whose memory was invalidated in the meantime. */
    private @Nullable ReplayEntry nextOwed() {
        ReplayEntry entry = replays.firstOwed();
        while (entry != null && isOutlived(entry)) {
            // A late duplicate: the peer, which has its response, allowed the key to be invalidated. This is not an
            // error of the peer.
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
        return target().resolve(entry.protectionDomain, entry.rkey, entry.address + offset, bytes, right);
    }

    /**
     * Number of packets of a response that may be sent now: READ data are subject to the rate limit. Data that the peer
     * reads in place cost no more than the budget, however long they are.
     */
    private int packets(ReplayEntry entry, int budget) {
        if (entry.operation != Operation.READ_REQUEST) {
            return 1;
        }
        ConnectionAttributes connection = qp.connection();
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
            // The memory was invalidated while its bytes were being sent.
            skb.free();
            response.oweNak(NakCode.REMOTE_ACCESS_ERROR, entry.nextPsn);
            failure = Verdict.REMOTE_ACCESS;
            return 0;
        }
        writeReadHeaders(skb, entry, count, bytes);
        if (!target().addTo(skb, bytes)) {
            // Too many memory segments for one buffer; those of a single packet always fit.
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
            skb.shinfo().gso(qp.connection().pathMtuBytes(), count);
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

    /** Responds to FLUSH and ATOMIC WRITE with an empty READ response. */
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
                qp.requestsMigration(),
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
