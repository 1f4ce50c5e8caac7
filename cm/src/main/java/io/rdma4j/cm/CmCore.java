// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Deadline;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What all ids of a communication manager share: output, time, timers, tables, limits, events. */
final class CmCore {
    private static final Set<CmState> HALF_OPEN =
            EnumSet.of(CmState.REQ_RCVD, CmState.MRA_REQ_SENT, CmState.REP_SENT, CmState.MRA_REP_RCVD);
    private static final Set<CmState> IN_BACKLOG =
            EnumSet.of(CmState.REQ_RCVD, CmState.MRA_REQ_SENT, CmState.SIDR_REQ_RCVD);
    private static final Set<CmState> KEEP_MESSAGE = EnumSet.of(CmState.MRA_REQ_RCVD, CmState.MRA_REP_RCVD);

    /** A SIDR_REQ and its 15 repetitions, each after the default response timeout. */
    private static final long SIDR_LIFETIME_NS = 16 * CmTimes.nanos(20);

    /** A connection in time-wait; its IDs stay reserved, even if the program has destroyed the {@link CmId}. */
    private final class TimeWait extends TimerHeap.Timer {
        private final CmId id;

        TimeWait(CmId id) {
            this.id = id;
        }

        @Override
        void expire() {
            leaveTimeWait(this);
        }
    }

    private record Delivery(CmId id, CmEvent event) {}

    final CmDevice device;
    final CmOptions options;
    final CmTables<CmId> tables;
    final TimerHeap timers = new TimerHeap();
    private final CmCounters[] counters;
    private final SplittableRandom random;
    private final MemorySegment datagram = Arena.ofAuto().allocate(Mad.BYTES, Long.BYTES);
    private final Queue<Delivery> deliveries = new ArrayDeque<>();
    private final LinkedHashSet<TimeWait> timeWaits = new LinkedHashSet<>();
    private boolean isDelivering;
    private int halfOpen;
    private long nowNs;

    CmCore(CmDevice device, CmOptions options, long nowNs) {
        this.device = device;
        this.options = options;
        this.nowNs = nowNs;
        random = new SplittableRandom(options.seed());
        tables = new CmTables<>(device, options.ids(), random);
        counters = new CmCounters[device.ports()];
        Arrays.setAll(counters, _ -> new CmCounters());
    }

    CmCounters counters(int port) {
        return counters[port - 1];
    }

    int halfOpen() {
        return halfOpen;
    }

    /** Advances the time, runs the timers that are due, and delivers the events. */
    long advance(long newNowNs) {
        nowNs = newNowNs;
        timers.advance(nowNs);
        deliver();
        return timers.nextNs();
    }

    /** Time in which a peer or this end answers; longer times than the option allows are cut. */
    long timeoutNs(int exponent) {
        return CmTimes.nanos(Math.min(exponent, options.maxTimeout()));
    }

    /** The transaction ID of a REQ, DREQ or SIDR_REQ. */
    long transaction(int localId) {
        return (long) options.agent() << Integer.SIZE | Integer.toUnsignedLong(Integer.reverseBytes(localId));
    }

    /** A transaction ID for one of several requests of a connection. */
    long newTransaction() {
        return (long) options.agent() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
    }

    void send(CmMessage message, MemorySegment mad, CmAddress destination) {
        transmit(message, mad, destination, false);
    }

    /** Sends a message that the peer did not answer. */
    void sendAgain(CmMessage message, MemorySegment mad, CmAddress destination) {
        transmit(message, mad, destination, true);
    }

    void drop(CmDrop reason, CmAddress source) {
        counters(source.port()).countDrop(reason);
    }

    void duplicate(CmMessage message, CmAddress source) {
        counters(source.port()).countDuplicate(message);
    }

    /** The peer has forgotten its end. A request from another address does not end the connection. */
    void disconnectStale(CmId stale, CmAddress source) {
        if (stale.isPeer(source)) {
            stale.disconnectStale();
        } else {
            drop(CmDrop.FOREIGN, source);
        }
    }

    /** Sends a datagram that is not a CM message. */
    void answer(MemorySegment mad, CmAddress destination) {
        device.send(datagram.copyFrom(mad), destination);
    }

    void startTimer(TimerHeap.Timer timer, long delayNs) {
        timers.start(timer, Deadline.after(nowNs, delayNs));
    }

    /** Keeps the answer to a SIDR request as long as the peer may repeat the request. */
    void keepSidrAnswer(CmTables.SidrKey key, MemorySegment reply) {
        tables.removeSidrRequest(key);
        tables.keepSidrAnswer(key, reply, Deadline.after(nowNs, SIDR_LIFETIME_NS), options.maxSidrAnswers());
    }

    @Nullable
    MemorySegment sidrAnswer(CmTables.SidrKey key) {
        return tables.sidrAnswer(key, nowNs);
    }

    private void transmit(CmMessage message, MemorySegment mad, CmAddress destination, boolean isRetry) {
        counters(destination.port()).countSent(message, isRetry);
        device.send(datagram.copyFrom(mad), destination);
    }

    /** Changes the state of an id, with all that the tables and limits have of it. */
    void enter(CmId id, CmState next) {
        CmState previous = id.state;
        id.state = next;
        if (!KEEP_MESSAGE.contains(next)) {
            id.exchange.cancelMessage();
        }
        CmId listener = id.listenId;
        if (listener != null) {
            halfOpen += count(HALF_OPEN, next) - count(HALF_OPEN, previous);
            listener.waiting += count(IN_BACKLOG, next) - count(IN_BACKLOG, previous);
        }
        if (next != CmState.REQ_SENT && next != CmState.MRA_REQ_RCVD) {
            tables.removePeer(id);
        }
        if (next == CmState.TIMEWAIT && previous != CmState.TIMEWAIT) {
            enterTimeWait(id);
        } else if (next == CmState.IDLE) {
            tables.removeQpns(id);
            tables.removeRemoteId(id);
            id.forgetPeer();
        }
    }

    private static int count(Set<CmState> states, CmState state) {
        return states.contains(state) ? 1 : 0;
    }

    private void enterTimeWait(CmId id) {
        tables.removeQpns(id);
        TimeWait timeWait = new TimeWait(id);
        startTimer(timeWait, id.timeWaitNs());
        timeWaits.add(timeWait);
        if (timeWaits.size() > options.maxTimeWait()) {
            leaveTimeWait(timeWaits.iterator().next());
        }
    }

    private void leaveTimeWait(TimeWait timeWait) {
        timers.stop(timeWait);
        timeWaits.remove(timeWait);
        CmId id = timeWait.id;
        enter(id, CmState.IDLE);
        if (id.isDestroyed()) {
            tables.release(id);
        }
        report(id, new CmEvent.TimewaitExit());
    }

    /** Adds an event, which {@link #deliver} passes to the program. */
    void report(CmId id, CmEvent event) {
        deliveries.add(new Delivery(id, event));
    }

    /** Passes the events to the program, in order. A handler may call anything; its events follow after it returns. */
    void deliver() {
        if (isDelivering) {
            return;
        }
        isDelivering = true;
        try {
            for (Delivery next = deliveries.poll(); next != null; next = deliveries.poll()) {
                next.id().handle(next.event());
            }
        } finally {
            isDelivering = false;
        }
    }
}
