// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** MAD layers on a seeded network in virtual time. The network may lose, duplicate and reorder datagrams. */
final class MadWire {
    static final long MS = 1_000_000;
    private static final long DELAY_NS = 10_000;
    private static final long COMPLETION_NS = 1_000;

    private final SplittableRandom random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::timeNs).thenComparingLong(Event::number));
    private final Map<Gid, Station> stations = new HashMap<>();
    private long numbers;
    long nowNs;
    double loss;
    double duplication;
    double reordering;
    /** Datagrams for which it returns true are lost. */
    Predicate<MemorySegment> lossRule = _ -> false;

    private record Event(long timeNs, long number, Runnable action) {}

    MadWire(long seed) {
        random = new SplittableRandom(seed);
    }

    /** One port: its layer and its send queue. */
    final class Station implements DatagramOutput {
        final Gid gid;
        final MadPort port;
        final int qpn;
        /** Everything that was posted. */
        final List<MemorySegment> posted = new ArrayList<>();

        final List<MadAddress> destinations = new ArrayList<>();

        WcStatus sendStatus = WcStatus.SUCCESS;

        Station(String gid, int qpn) {
            this.gid = Gid.parse(gid);
            this.qpn = qpn;
            this.port = new MadPort(this, QpType.GSI, 7 + qpn);
            stations.put(this.gid, this);
        }

        MadAddress address() {
            return new MadAddress(AddressVector.roce(1, gid, 0), qpn, MadAddress.GSI_QKEY, 0);
        }

        @Override
        public void post(long handle, MadAddress to, MemorySegment datagram) {
            assertLength(datagram);
            MemorySegment copy = MemorySegment.ofArray(datagram.toArray(ValueLayout.JAVA_BYTE));
            posted.add(copy);
            destinations.add(to);
            WcStatus status = sendStatus;
            at(COMPLETION_NS, () -> port.sendCompleted(handle, status, nowNs));
            Station peer = stations.get(to.gid());
            if (peer == null || peer.qpn != to.qpn() || status != WcStatus.SUCCESS || lossRule.test(copy)) {
                return;
            }
            transmit(peer, copy, to);
            if (random.nextDouble() < duplication) {
                transmit(peer, copy, to);
            }
        }

        private void transmit(Station peer, MemorySegment datagram, MadAddress to) {
            if (random.nextDouble() < loss) {
                return;
            }
            long delayNs = DELAY_NS + (random.nextDouble() < reordering ? random.nextLong(20 * DELAY_NS) : 0);
            MadAddress from = new MadAddress(AddressVector.roce(1, gid, 0), qpn, MadAddress.GSI_QKEY, to.pkeyIndex());
            at(delayNs, () -> peer.port.received(datagram, Mad.BYTES, from, nowNs));
        }

        private void assertLength(MemorySegment datagram) {
            if (datagram.byteSize() != Mad.BYTES) {
                throw new AssertionError("a datagram of " + datagram.byteSize() + " bytes was posted");
            }
        }

        @Override
        public void wakeup() {}

        @Override
        public int pkeyIndex(int pkey) {
            return pkey == 0xFFFF ? 0 : -1;
        }

        MemorySegment last() {
            return posted.getLast();
        }
    }

    Station station(String gid) {
        return new Station(gid, MadAddress.GSI_QPN);
    }

    Station station(String gid, int qpn) {
        return new Station(gid, qpn);
    }

    private void at(long delayNs, Runnable action) {
        events.add(new Event(nowNs + delayNs, numbers++, action));
    }

    /** Runs for an amount of time. */
    void pass(long durationNs) {
        run(() -> false, durationNs);
    }

    /** Runs until a condition holds; false if it does not in time. */
    boolean run(BooleanSupplier condition, long limitNs) {
        long endNs = nowNs + limitNs;
        while (!condition.getAsBoolean()) {
            long nextNs = advance();
            Event event = events.peek();
            if (event != null) {
                nextNs = Deadline.earlier(nextNs, event.timeNs);
            }
            if (condition.getAsBoolean()) {
                return true;
            }
            if (nextNs == Deadline.NEVER || nextNs - endNs > 0) {
                nowNs = endNs;
                return false;
            }
            nowNs = Math.max(nowNs, nextNs);
            step(nowNs);
        }
        return true;
    }

    private long advance() {
        long nextNs = Deadline.NEVER;
        for (Station station : stations.values()) {
            station.port.advance(nowNs);
            station.port.runHandlers();
            nextNs = Deadline.earlier(nextNs, station.port.advance(nowNs));
        }
        return nextNs;
    }

    private void step(long untilNs) {
        for (Event event = due(untilNs); event != null; event = due(untilNs)) {
            event.action.run();
        }
    }

    private @Nullable Event due(long untilNs) {
        Event event = events.peek();
        return event == null || event.timeNs > untilNs ? null : events.poll();
    }
}
