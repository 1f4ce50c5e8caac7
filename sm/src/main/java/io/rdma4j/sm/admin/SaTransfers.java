// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.base.Deadline;
import io.rdma4j.mad.rmpp.RmppSend;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import io.rdma4j.wire.mad.sa.SaHeader;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables that are being sent in segments to their requesters. */
final class SaTransfers {
    private static final int FIRST_WINDOW = 1;
    private static final int TRIES = 3;
    private static final long ACK_NS = 1_000_000_000;
    /** Requesters that never acknowledge cost no more memory than this. */
    private static final int MAX_TRANSFERS = 1024;

    /** Whom a table is for. */
    record Requester(long transactionId, int lid, int qpn) {}

    private static final class Transfer {
        final RmppSend send;
        long deadlineNs;
        int tries;

        Transfer(RmppSend send) {
            this.send = send;
        }
    }

    private final SaOutput output;
    private final Map<Requester, Transfer> transfers = new LinkedHashMap<>();

    SaTransfers(SaOutput output) {
        this.output = output;
    }

    /** @param message headers of the class, and records */
    void begin(Requester to, MemorySegment message, long nowNs) {
        if (transfers.size() < MAX_TRANSFERS) {
            Transfer transfer = new Transfer(new RmppSend(message, SaHeader.DATA, FIRST_WINDOW));
            transfers.put(to, transfer);
            send(to, transfer, nowNs);
        }
    }

    private void send(Requester to, Transfer transfer, long nowNs) {
        transfer.deadlineNs = Deadline.after(nowNs, ACK_NS);
        while (transfer.send.hasNext()) {
            MemorySegment segment = transfer.send.next();
            Rmpp.VERSION.put(segment, Rmpp.OFFSET, Rmpp.VERSION_1);
            output.send(segment, to.lid(), to.qpn());
        }
    }

    /** Takes an ACK, STOP or ABORT; returns false for a datagram that belongs to no transfer. */
    boolean receive(Requester from, MemorySegment memory, long offset, long nowNs) {
        Transfer transfer = transfers.get(from);
        if (transfer == null) {
            return false;
        }
        if (Rmpp.TYPE.getInt(memory, offset + Rmpp.OFFSET) != RmppType.ACK.code()) {
            transfers.remove(from);
            return true;
        }
        long segment = Rmpp.SEGMENT_NUMBER.get(memory, offset + Rmpp.OFFSET);
        long last = Rmpp.NEW_WINDOW_LAST.get(memory, offset + Rmpp.OFFSET);
        switch (transfer.send.acknowledge(segment, last)) {
            case ADVANCED -> {
                transfer.tries = 0;
                send(from, transfer, nowNs);
            }
            case IGNORED -> {}
            default -> transfers.remove(from);
        }
        return true;
    }

    void clear() {
        transfers.clear();
    }

    long nextNs() {
        long next = Deadline.NEVER;
        for (Transfer transfer : transfers.values()) {
            next = Deadline.earlier(next, transfer.deadlineNs);
        }
        return next;
    }

    /** Repeats segments whose ACK is late. */
    void expire(long nowNs) {
        for (Map.Entry<Requester, Transfer> entry : List.copyOf(transfers.entrySet())) {
            Transfer transfer = entry.getValue();
            if (!Deadline.isDue(transfer.deadlineNs, nowNs)) {
                continue;
            }
            transfer.tries++;
            if (transfer.tries == TRIES) {
                transfers.remove(entry.getKey());
            } else {
                transfer.send.rewind();
                send(entry.getKey(), transfer, nowNs);
            }
        }
    }

    /** True if the datagram is one of the receiver of a table. */
    static boolean isOfReceiver(MemorySegment memory, long offset) {
        return Rmpp.isActive(memory, offset + Rmpp.OFFSET)
                && Rmpp.TYPE.getInt(memory, offset + Rmpp.OFFSET) != RmppType.DATA.code();
    }

    static Requester requester(MemorySegment memory, long offset, int lid, int qpn) {
        return new Requester(Mad.TRANSACTION_ID.get(memory, offset), lid, qpn);
    }
}
