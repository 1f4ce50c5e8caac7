// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.mad.rmpp.RmppReceive;
import io.rdma4j.mad.rmpp.RmppSend;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppStatus;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The RMPP transfers of an agent. It answers segments, and passes ACK, STOP and ABORT on to the sends. Guarded by the
 * port.
 *
 * <p>A peer can make it keep a limited number of transfers for a limited time; their segments are receive buffers of
 * the agent, and limited, too.
 */
final class AgentRmpp {
    /** Segments by which the window grows, as in Linux: an eighth of its receive queue. */
    static final int WINDOW = 64;
    /** Messages that one agent receives at the same time. */
    static final int MAX_ACTIVE = 128;
    /** Of these, messages of one port. */
    static final int MAX_ACTIVE_OF_A_PORT = 32;
    /** A message of 1 MiB in segments of the class with the longest headers, and some more. */
    static final int MAX_SEGMENTS = 5_600;
    /** Complete messages whose late segments are acknowledged. */
    private static final int MAX_COMPLETE = 512;

    private static final long TOTAL_TIME_NS = 40_000_000_000L;
    private static final long MEMORY_OF_COMPLETE_NS = 10_000_000_000L;

    private record Key(
            long transactionId, int qpn, @Nullable Gid gid, int lid, int mgmtClass, int classVersion, int method) {
        static Key of(MemorySegment datagram, MadAddress from) {
            return new Key(
                    Mad.TRANSACTION_ID.get(datagram, 0),
                    from.qpn(),
                    from.gid(),
                    from.lid(),
                    Mad.MGMT_CLASS.getInt(datagram, 0),
                    Mad.CLASS_VERSION.getInt(datagram, 0),
                    Mad.METHOD.getInt(datagram, 0));
        }
    }

    /** A transfer, its sender and its deadline. */
    private static final class Transfer {
        final MadAddress from;
        final RmppReceive receive;
        long deadlineNs;

        Transfer(MadAddress from, RmppReceive receive, long deadlineNs) {
            this.from = from;
            this.receive = receive;
            this.deadlineNs = deadlineNs;
        }
    }

    /** Receives complete messages. */
    @FunctionalInterface
    interface Delivery {
        /** @param request null for an unsolicited message */
        void message(@Nullable MadSend request, ReceivedMad mad);
    }

    private final PortParts parts;
    private final AgentSends sends;
    private final MadBufferPool pool;
    private final Delivery delivery;
    private final Map<Key, Transfer> transfers = new LinkedHashMap<>();
    private int complete;
    private long nextDeadlineNs = Deadline.NEVER;

    AgentRmpp(PortParts parts, AgentSends sends, MadBufferPool pool, Delivery delivery) {
        this.parts = parts;
        this.sends = sends;
        this.pool = pool;
        this.delivery = delivery;
    }

    /** Takes a datagram whose RMPP header is active. */
    void received(MemorySegment datagram, MadAddress from, long nowNs) {
        if (Rmpp.VERSION.getInt(datagram, Rmpp.OFFSET) != Rmpp.VERSION_1) {
            refuse(datagram, from, RmppStatus.UNSUPPORTED_VERSION);
            return;
        }
        RmppType type = RmppType.of(Rmpp.TYPE.getInt(datagram, Rmpp.OFFSET));
        int status = Rmpp.STATUS.getInt(datagram, Rmpp.OFFSET);
        switch (type) {
            case null -> refuse(datagram, from, RmppStatus.BAD_TYPE);
            case DATA -> {
                if (status == RmppStatus.NORMAL) {
                    data(datagram, from, nowNs);
                } else {
                    abort(datagram, from, RmppStatus.ILLEGAL_STATUS);
                }
            }
            case ACK -> {
                if (status == RmppStatus.NORMAL) {
                    acknowledged(datagram, from);
                } else {
                    refuse(datagram, from, RmppStatus.ILLEGAL_STATUS);
                }
            }
            case STOP -> ended(datagram, from, status, status == RmppStatus.RESOURCES_EXHAUSTED);
            case ABORT -> ended(datagram, from, status, RmppStatus.isAbort(status));
        }
    }

    // The receiver of a message

    private void data(MemorySegment datagram, MadAddress from, long nowNs) {
        long number = Rmpp.SEGMENT_NUMBER.get(datagram, Rmpp.OFFSET);
        boolean isFirst = Rmpp.isFirst(datagram, Rmpp.OFFSET);
        if (isFirst != (number == 1)) {
            abort(datagram, from, RmppStatus.INCONSISTENT_FIRST);
            return;
        }
        Key key = Key.of(datagram, from);
        Transfer transfer = transfers.get(key);
        if (transfer == null) {
            transfer = isFirst ? begin(key, datagram, from, nowNs) : null;
            if (transfer == null) {
                parts.counters().count(MadCounter.RMPP_OUT_OF_WINDOW);
                return;
            }
        }
        switch (transfer.receive.check(number)) {
            case REPEATED -> {
                parts.counters().count(MadCounter.RMPP_DUPLICATES);
                acknowledge(transfer, datagram);
            }
            case DUPLICATE -> parts.counters().count(MadCounter.RMPP_DUPLICATES);
            case BEYOND_WINDOW -> parts.counters().count(MadCounter.RMPP_OUT_OF_WINDOW);
            default -> keep(key, transfer, datagram, (int) number, nowNs);
        }
    }

    private @Nullable Transfer begin(Key key, MemorySegment datagram, MadAddress from, long nowNs) {
        if (Mad.isResponse(datagram, 0) && sends.find(datagram, from) == null) {
            parts.counters().count(MadCounter.UNMATCHED_RESPONSE);
            return null;
        }
        long ofThePort = transfers.values().stream()
                .filter(other -> !other.receive.isComplete() && other.from.isSamePort(from))
                .count();
        if (transfers.size() - complete >= MAX_ACTIVE || ofThePort >= MAX_ACTIVE_OF_A_PORT) {
            stop(datagram, from);
            return null;
        }
        int mgmtClass = Mad.MGMT_CLASS.getInt(datagram, 0);
        Transfer transfer = new Transfer(
                from, new RmppReceive(MadFormat.dataOffset(mgmtClass), WINDOW), Deadline.after(nowNs, TOTAL_TIME_NS));
        transfers.put(key, transfer);
        nextDeadlineNs = Deadline.earlier(nextDeadlineNs, transfer.deadlineNs);
        return transfer;
    }

    private void keep(Key key, Transfer transfer, MemorySegment datagram, int number, long nowNs) {
        byte[] buffer = number > MAX_SEGMENTS ? null : pool.take();
        if (buffer == null) {
            parts.counters().count(MadCounter.NO_RECEIVE_BUFFER);
            transfers.remove(key);
            release(transfer);
            stop(datagram, transfer.from);
            return;
        }
        MemorySegment.ofArray(buffer).copyFrom(datagram);
        switch (transfer.receive.take(number, buffer)) {
            case KEPT_AND_ACK -> acknowledge(transfer, datagram);
            case COMPLETE -> {
                acknowledge(transfer, datagram);
                complete(transfer, datagram, nowNs);
            }
            default -> {}
        }
    }

    private void complete(Transfer transfer, MemorySegment datagram, long nowNs) {
        complete++;
        transfer.deadlineNs = Deadline.after(nowNs, MEMORY_OF_COMPLETE_NS);
        nextDeadlineNs = Deadline.earlier(nextDeadlineNs, transfer.deadlineNs);
        RmppReceive receive = transfer.receive;
        int lengthBytes = receive.lengthBytes();
        List<byte[]> message = receive.takeMessage();
        release(transfer);
        ReceivedMad mad = new ReceivedMad(
                transfer.from, message, MadFormat.dataOffset(Mad.MGMT_CLASS.getInt(datagram, 0)), lengthBytes, pool);
        if (!Mad.isResponse(datagram, 0)) {
            delivery.message(null, mad);
        } else {
            MadSend request = sends.find(datagram, transfer.from);
            if (request == null) {
                parts.counters().count(MadCounter.UNMATCHED_RESPONSE);
                mad.close();
            } else {
                delivery.message(request, mad);
            }
        }
        forgetOldest();
    }

    /** Keeps the number of complete messages limited. */
    private void forgetOldest() {
        Iterator<Transfer> all = transfers.values().iterator();
        while (complete > MAX_COMPLETE && all.hasNext()) {
            if (all.next().receive.isComplete()) {
                all.remove();
                complete--;
            }
        }
    }

    private void release(Transfer transfer) {
        transfer.receive.takeRest().forEach(pool::give);
    }

    /** Ends transfers whose time has passed; returns the next deadline. */
    long advance(long nowNs) {
        if (!Deadline.isDue(nextDeadlineNs, nowNs)) {
            return nextDeadlineNs;
        }
        nextDeadlineNs = Deadline.NEVER;
        Iterator<Transfer> all = transfers.values().iterator();
        while (all.hasNext()) {
            Transfer transfer = all.next();
            if (!Deadline.isDue(transfer.deadlineNs, nowNs)) {
                nextDeadlineNs = Deadline.earlier(nextDeadlineNs, transfer.deadlineNs);
                continue;
            }
            all.remove();
            if (transfer.receive.isComplete()) {
                complete--;
            } else {
                parts.counters().count(MadCounter.RMPP_TIMEOUTS);
                abort(transfer.receive.first(), transfer.from, RmppStatus.TOTAL_TIME_TOO_LONG);
                release(transfer);
            }
        }
        return nextDeadlineNs;
    }

    void close() {
        transfers.values().forEach(this::release);
        transfers.clear();
        complete = 0;
    }

    /** The window that the requester of a double-sided transfer has granted for the response; otherwise 1. */
    int replyWindow(MadSend response) {
        MemorySegment message = response.segment();
        long transactionId = Mad.TRANSACTION_ID.get(message, 0);
        int mgmtClass = Mad.MGMT_CLASS.getInt(message, 0);
        for (Map.Entry<Key, Transfer> entry : transfers.entrySet()) {
            Key key = entry.getKey();
            if (key.transactionId == transactionId
                    && key.mgmtClass == mgmtClass
                    && (key.method & MadMethod.RESPONSE) == 0
                    && entry.getValue().from.isSamePort(response.to())) {
                return entry.getValue().receive.replyWindow();
            }
        }
        return 1;
    }

    // The sender of a message

    private void acknowledged(MemorySegment datagram, MadAddress from) {
        long segment = Rmpp.SEGMENT_NUMBER.get(datagram, Rmpp.OFFSET);
        long newWindowLast = Rmpp.NEW_WINDOW_LAST.get(datagram, Rmpp.OFFSET);
        MadSend send = sends.find(datagram, from);
        RmppSend rmpp = send == null ? null : send.rmpp;
        if (send == null || rmpp == null) {
            if (newWindowLast < segment) {
                abort(datagram, from, RmppStatus.WINDOW_TOO_SMALL);
            } else if (!isGrant(datagram, from, segment, newWindowLast)) {
                parts.counters().count(MadCounter.RMPP_UNMATCHED);
            }
            return;
        }
        switch (sends.acknowledged(send, rmpp, segment, newWindowLast)) {
            case WINDOW_TOO_SMALL -> refuse(datagram, from, RmppStatus.WINDOW_TOO_SMALL);
            case SEGMENT_TOO_BIG -> refuse(datagram, from, RmppStatus.SEGMENT_TOO_BIG);
            case FINISHED, REPEATED -> {
                if (send.inProgress) {
                    turn(datagram, from);
                }
            }
            default -> {}
        }
    }

    /** The ACK of segment 0 with which the requester of a double-sided transfer lets the response begin. */
    private boolean isGrant(MemorySegment datagram, MadAddress from, long segment, long newWindowLast) {
        Transfer transfer = transfers.get(Key.of(datagram, from));
        if (segment != 0 || transfer == null || !transfer.receive.isComplete()) {
            return false;
        }
        transfer.receive.grant(Math.clamp(newWindowLast, 1, MAX_SEGMENTS));
        return true;
    }

    /** STOP or ABORT of the receiver, or of the sender of a message that is being received. */
    private void ended(MemorySegment datagram, MadAddress from, int status, boolean isValid) {
        Transfer transfer = transfers.get(Key.of(datagram, from));
        if (!isValid) {
            refuse(datagram, from, RmppStatus.ILLEGAL_STATUS);
        } else if (transfer == null || transfer.receive.isComplete()) {
            endSend(datagram, from, status);
        } else {
            transfers.remove(Key.of(datagram, from));
            release(transfer);
        }
    }

    private void endSend(MemorySegment datagram, MadAddress from, int status) {
        MadSend send = sends.find(datagram, from);
        RmppSend rmpp = send == null ? null : send.rmpp;
        if (send == null || rmpp == null || rmpp.isAcknowledged()) {
            parts.counters().count(MadCounter.RMPP_UNMATCHED);
        } else {
            sends.finish(send, WcStatus.REM_ABORT_ERR, status);
        }
    }

    // Answers

    private void acknowledge(Transfer transfer, MemorySegment segment) {
        RmppReceive receive = transfer.receive;
        answer(segment, transfer.from, RmppType.ACK, RmppStatus.NORMAL, receive.acknowledgeNow(), receive.windowLast());
    }

    /** Turns the direction of a double-sided transfer. */
    private void turn(MemorySegment ack, MadAddress to) {
        answer(ack, to, RmppType.ACK, RmppStatus.NORMAL, 0, 1);
    }

    private void stop(MemorySegment datagram, MadAddress to) {
        parts.counters().count(MadCounter.RMPP_STOPS);
        answer(datagram, to, RmppType.STOP, RmppStatus.RESOURCES_EXHAUSTED, 0, 0);
    }

    private void abort(MemorySegment datagram, MadAddress to, int status) {
        parts.counters().count(MadCounter.RMPP_ABORTS);
        answer(datagram, to, RmppType.ABORT, status, 0, 0);
    }

    /** Answers an invalid datagram with an ABORT, and ends the send that it belongs to. */
    private void refuse(MemorySegment datagram, MadAddress from, int status) {
        if (sends.find(datagram, from) != null) {
            endSend(datagram, from, status);
        }
        abort(datagram, from, status);
    }

    private void answer(MemorySegment datagram, MadAddress to, RmppType type, int status, int first, int second) {
        int headerBytes = MadFormat.dataOffset(Mad.MGMT_CLASS.getInt(datagram, 0));
        MemorySegment answer = MemorySegment.ofArray(new byte[Mad.BYTES]);
        MemorySegment.copy(datagram, 0, answer, 0, headerBytes);
        Mad.METHOD.put(answer, 0, Mad.METHOD.get(datagram, 0) ^ MadMethod.RESPONSE);
        Rmpp.VERSION.put(answer, Rmpp.OFFSET, Rmpp.VERSION_1);
        Rmpp.TYPE.put(answer, Rmpp.OFFSET, type.code());
        Rmpp.RESPONSE_TIME.put(answer, Rmpp.OFFSET, 0);
        Rmpp.FLAGS.put(answer, Rmpp.OFFSET, Rmpp.ACTIVE);
        Rmpp.STATUS.put(answer, Rmpp.OFFSET, status);
        Rmpp.SEGMENT_NUMBER.put(answer, Rmpp.OFFSET, first);
        Rmpp.PAYLOAD_LENGTH.put(answer, Rmpp.OFFSET, second);
        parts.posts().reply(to, answer);
    }
}
