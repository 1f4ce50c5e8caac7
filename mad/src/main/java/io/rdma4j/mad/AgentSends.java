// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.rmpp.RmppSend;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sends of an agent that are in progress: their timers, retries, responses and RMPP transfers. Guarded by the
 * port.
 */
final class AgentSends {
    private static final long NS_PER_MS = 1_000_000;
    /** Maximum time until an ACK, and the time for messages without timeout. */
    private static final int ACK_TIMEOUT_MS = 2000;
    /** Segments of one message that are posted and not completed. */
    private static final int MAX_POSTED = 32;
    /** A request that is redirected more often gets the last response. */
    private static final int MAX_REDIRECTS = 4;

    private final PortParts parts;
    private final MadAgentSetup setup;
    private final Map<Long, List<MadSend>> byTransaction = new HashMap<>();
    private final TreeSet<MadSend> timers = new TreeSet<>((a, b) -> a.deadlineNs == b.deadlineNs
            ? Long.compare(a.sequence, b.sequence)
            : Long.signum(a.deadlineNs - b.deadlineNs));

    /** Sends whose timers start again at the next {@link #advance}. */
    private final Set<MadSend> modified = new HashSet<>();

    private long sequence;

    AgentSends(PortParts parts, MadAgentSetup setup) {
        this.parts = parts;
        this.setup = setup;
    }

    /** @param window segments that the receiver has granted already */
    void post(MadSend send, int window) {
        check(send);
        int mgmtClass = mgmtClass(send);
        send.begin(parts.redirects().place(mgmtClass, send.to()), ++sequence);
        byTransaction
                .computeIfAbsent(send.transactionId(), _ -> new ArrayList<>(1))
                .add(send);
        begin(send, window);
    }

    private void begin(MadSend send, int window) {
        if (setup.rmppVersion() != 0 && MadFormat.isRmpp(send.segment())) {
            send.rmpp = new RmppSend(send.segment(), MadFormat.dataOffset(mgmtClass(send)), window);
        }
        transmit(send);
    }

    private void check(MadSend send) {
        if (setup.sendHandler() == null) {
            throw new RdmaException(Errno.EINVAL, "the agent has no send handler");
        }
        if (send.timeoutMs > 0 && setup.receiveHandler() == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    send + " has a timeout of " + send.timeoutMs
                            + " ms for a response: the agent has no receive handler");
        }
        if (send.inProgress) {
            throw new RdmaException(Errno.EINVAL, send + " is in progress");
        }
        int mgmtClass = mgmtClass(send);
        if (setup.rmppVersion() != 0 && !MadFormat.hasRmpp(mgmtClass)) {
            throw new RdmaException(
                    Errno.EINVAL, String.format("class 0x%02x has no RMPP, and the agent is one with RMPP", mgmtClass));
        }
        if (setup.rmppVersion() == 0 && send.segment().byteSize() > Mad.BYTES) {
            throw new RdmaException(
                    Errno.EINVAL,
                    send + " has " + send.segment().byteSize() + " bytes: an agent without RMPP sends " + Mad.BYTES);
        }
    }

    private static int mgmtClass(MadSend send) {
        return Mad.MGMT_CLASS.getInt(send.segment(), 0);
    }

    private void transmit(MadSend send) {
        RmppSend rmpp = send.rmpp;
        if (rmpp == null) {
            postOne(send, send.datagram());
        } else {
            transmit(send, rmpp);
        }
    }

    private void transmit(MadSend send, RmppSend rmpp) {
        while (send.posted < MAX_POSTED && rmpp.hasNext()) {
            postOne(send, rmpp.next());
        }
    }

    private void postOne(MadSend send, MemorySegment datagram) {
        int posting = send.posting;
        send.posted++;
        parts.posts().post(send.address, datagram, (status, nowNs) -> {
            if (send.inProgress && send.posting == posting) {
                posted(send, status, nowNs);
            }
        });
    }

    private void posted(MadSend send, WcStatus status, long nowNs) {
        send.posted--;
        RmppSend rmpp = send.rmpp;
        if (status != WcStatus.SUCCESS) {
            finish(send, status, 0);
        } else if (rmpp == null) {
            if (send.timeoutMs == 0) {
                finish(send, WcStatus.SUCCESS, 0);
            } else {
                arm(send, nowNs);
            }
        } else {
            transmit(send, rmpp);
            if (send.posted == 0) {
                arm(send, nowNs);
            }
        }
    }

    /** Time until an ACK while segments are not acknowledged, otherwise until the response. */
    private static int timerMs(MadSend send) {
        RmppSend rmpp = send.rmpp;
        if (rmpp == null || rmpp.isAcknowledged()) {
            return send.timeoutMs;
        }
        return send.timeoutMs == 0 ? ACK_TIMEOUT_MS : Math.min(send.timeoutMs, ACK_TIMEOUT_MS);
    }

    private void arm(MadSend send, long nowNs) {
        disarm(send);
        send.deadlineNs = Deadline.after(nowNs, timerMs(send) * NS_PER_MS);
        timers.add(send);
    }

    private void disarm(MadSend send) {
        if (send.deadlineNs != Deadline.NEVER) {
            timers.remove(send);
            send.deadlineNs = Deadline.NEVER;
        }
    }

    /** Changes the timeout, which counts from the next {@link #advance} on; 0 cancels. */
    void modify(MadSend send, int timeoutMs) {
        if (timeoutMs < 0) {
            throw new RdmaException(Errno.EINVAL, "timeout " + timeoutMs + " ms is negative");
        }
        if (!isInProgress(send)) {
            throw new RdmaException(Errno.EINVAL, send + " is not in progress at this agent");
        }
        if (timeoutMs == 0) {
            finish(send, WcStatus.WR_FLUSH_ERR, 0);
            return;
        }
        send.timeoutMs = timeoutMs;
        if (send.deadlineNs != Deadline.NEVER) {
            modified.add(send);
        }
    }

    private boolean isInProgress(MadSend send) {
        return byTransaction.getOrDefault(send.transactionId(), List.of()).stream()
                .anyMatch(other -> other == send);
    }

    /** Handles expired timers; returns the next deadline. */
    long advance(long nowNs) {
        for (MadSend send : modified) {
            arm(send, nowNs);
        }
        modified.clear();
        while (!timers.isEmpty() && Deadline.isDue(timers.first().deadlineNs, nowNs)) {
            MadSend send = timers.first();
            disarm(send);
            expired(send);
        }
        return timers.isEmpty() ? Deadline.NEVER : timers.first().deadlineNs;
    }

    private void expired(MadSend send) {
        RmppSend rmpp = send.rmpp;
        if (send.retriesLeft == 0 || rmpp != null && rmpp.isAcknowledged()) {
            parts.counters().count(MadCounter.TIMEOUTS);
            if (!send.address.equals(send.to())) {
                parts.redirects().forget(mgmtClass(send), send.to());
            }
            finish(send, WcStatus.RESP_TIMEOUT_ERR, 0);
            return;
        }
        send.countRetry();
        parts.counters().count(MadCounter.RETRIES);
        if (rmpp != null) {
            rmpp.rewind();
        }
        transmit(send);
    }

    /**
     * Finds the send that a datagram answers or acknowledges: equal transaction, class and port, and one of the two is
     * a response.
     */
    @Nullable
    MadSend find(MemorySegment datagram, MadAddress from) {
        List<MadSend> candidates = byTransaction.getOrDefault(Mad.TRANSACTION_ID.get(datagram, 0), List.of());
        int mgmtClass = Mad.MGMT_CLASS.getInt(datagram, 0);
        boolean isResponse = Mad.isResponse(datagram, 0);
        for (MadSend send : candidates) {
            if (mgmtClass(send) == mgmtClass
                    && Mad.isResponse(send.segment(), 0) != isResponse
                    && (mgmtClass == MadClass.SUBN_DIRECTED_ROUTE.code() || send.address.isSamePort(from))) {
                return send;
            }
        }
        return null;
    }

    /** Repeats a request at the place that a response names; returns false if the agent gets the response. */
    boolean redirect(MadSend send, MemorySegment response) {
        if (!RedirectTable.isRedirect(Mad.STATUS.getInt(response, 0)) || send.redirects == MAX_REDIRECTS) {
            return false;
        }
        int mgmtClass = mgmtClass(send);
        int offset = MadFormat.dataOffset(mgmtClass);
        int pkeyIndex = parts.posts().pkeyIndex(ClassPortInfo.REDIRECT_PKEY.getInt(response, offset));
        MadAddress place = RedirectTable.read(response, offset, send.address, pkeyIndex);
        if (place == null || place.equals(send.address)) {
            return false;
        }
        parts.counters().count(MadCounter.REDIRECTS_FOLLOWED);
        parts.redirects().put(mgmtClass, send.to(), place);
        disarm(send);
        send.redirects++;
        send.address = place;
        send.posting++;
        send.posted = 0;
        begin(send, 1);
        return true;
    }

    /** Ends a send; a response was given to the receive handler before. */
    void finish(MadSend send, WcStatus status, int vendorError) {
        disarm(send);
        modified.remove(send);
        List<MadSend> same = byTransaction.getOrDefault(send.transactionId(), List.of());
        same.removeIf(other -> other == send);
        if (same.isEmpty()) {
            byTransaction.remove(send.transactionId());
        }
        send.end(vendorError);
        parts.snoops().saw(MadSnoopEvent.COMPLETED, send.address, send.segment());
        MadSendHandler handler = setup.sendHandler();
        if (handler != null) {
            parts.handlers().add(() -> handler.sent(send, status));
        }
    }

    void finishAll(WcStatus status) {
        List<MadSend> all = new ArrayList<>();
        byTransaction.values().forEach(all::addAll);
        all.sort((a, b) -> Long.compare(a.sequence, b.sequence));
        all.forEach(send -> finish(send, status, 0));
    }

    // RMPP: what the receiver of a message answers

    /** Takes an ACK of segments. */
    RmppSend.Ack acknowledged(MadSend send, RmppSend rmpp, long segment, long newWindowLast) {
        int before = rmpp.acknowledged();
        RmppSend.Ack ack = rmpp.acknowledge(segment, newWindowLast);
        if (rmpp.acknowledged() > before) {
            send.retriesLeft = send.retries;
        }
        switch (ack) {
            case ADVANCED -> {
                if (rmpp.hasNext()) {
                    // The timer starts again when these are sent.
                    disarm(send);
                    transmit(send, rmpp);
                }
            }
            case FINISHED -> {
                if (send.timeoutMs == 0) {
                    finish(send, WcStatus.SUCCESS, 0);
                } else {
                    // The response may take the whole timeout from now on.
                    modified.add(send);
                }
            }
            default -> {}
        }
        return ack;
    }
}
