// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Communication managers on a network in virtual time. Datagrams arrive in order and at once, unless a test says else. */
final class CmNetwork {
    static final int MAX_STEPS = 1_000_000;
    static final MemorySegment NONE = MemorySegment.NULL;

    /** A datagram on its way. */
    record Flight(Node from, Node to, MemorySegment segment, CmAddress source) {
        @Nullable
        CmMessage message() {
            return CmMessage.of(Mad.ATTRIBUTE_ID.getInt(segment, 0));
        }

        byte[] bytes() {
            return segment.toArray(ValueLayout.JAVA_BYTE);
        }

        boolean is(CmMessage expected) {
            return message() == expected;
        }
    }

    /** What a program got. */
    record Got(CmId id, CmEvent event) {}

    final Map<Gid, Node> nodes = new LinkedHashMap<>();
    final List<Flight> flights = new ArrayList<>();
    /** All datagrams that were sent, also those that got lost. */
    final List<Flight> sent = new ArrayList<>();

    Predicate<Flight> isLost = _ -> false;
    long nowNs;

    /** A machine with a communication manager and a program, which records all events. */
    final class Node implements CmDevice {
        private final long guid;
        final List<Gid> gids = new ArrayList<>();
        final List<Got> events = new ArrayList<>();
        Consumer<Got> program = _ -> {};
        Mtu maxMtu = Mtu.MTU_4096;
        Cm cm;

        Node(long guid, String address, CmOptions options) {
            this.guid = guid;
            addGid(address);
            cm = new Cm(this, options, nowNs);
        }

        void addGid(String address) {
            Gid gid = Gid.parse(address);
            gids.add(gid);
            nodes.put(gid, this);
        }

        /** Forgets everything, as a process does that dies. */
        void crash(CmOptions options) {
            cm = new Cm(this, options, nowNs);
        }

        Gid gid() {
            return gids.getFirst();
        }

        @Override
        public long guid() {
            return guid;
        }

        @Override
        public int ackDelay() {
            return 15;
        }

        @Override
        public int ports() {
            return 1;
        }

        @Override
        public int gidIndex(int port, Gid gid) {
            return gids.indexOf(gid);
        }

        @Override
        public Gid gid(int port, int index) {
            return gids.get(index);
        }

        @Override
        public int pkeyIndex(int port, int pkey) {
            return pkey == 0xFFFF ? 0 : -1;
        }

        @Override
        public Mtu maxMtu(int port) {
            return maxMtu;
        }

        @Override
        public void send(MemorySegment datagram, CmAddress destination) {
            if (!datagram.isNative()) {
                throw new AssertionError("devices send native memory");
            }
            GlobalRoute route =
                    Objects.requireNonNull(destination.addressVector().route());
            Node to = nodes.get(route.destination());
            if (to != null) {
                MemorySegment copy = MemorySegment.ofArray(datagram.toArray(ValueLayout.JAVA_BYTE));
                Gid source = gids.get(route.sourceGidIndex());
                put(new Flight(this, to, copy, to.wayBack(source, to.gids.indexOf(route.destination()))));
            }
        }

        /** The address that a receiver makes from a datagram of {@code source}. */
        CmAddress wayBack(Gid source, int gidIndex) {
            return new CmAddress(AddressVector.global(1, new GlobalRoute(source, 0, gidIndex, 64, 0)), 0);
        }

        CmId id() {
            return cm.createId(this::record);
        }

        private void record(CmId id, CmEvent event) {
            Got got = new Got(id, event);
            events.add(got);
            program.accept(got);
        }

        CmId listen(long serviceId) {
            CmId listener = id();
            listener.listen(serviceId, -1, 1000);
            return listener;
        }

        CmPath pathTo(Node other) {
            return pathTo(other, 0, 0);
        }

        CmPath pathTo(Node other, int sourceIndex, int destinationIndex) {
            GlobalRoute route = GlobalRoute.to(other.gids.get(destinationIndex), sourceIndex);
            return CmPath.roce(AddressVector.global(1, route), gids.get(sourceIndex), Mtu.MTU_1024);
        }

        /** The last event, which must be of this type. */
        <E extends CmEvent> E last(Class<E> type) {
            return type.cast(events.getLast().event());
        }

        CmId lastId() {
            return events.getLast().id();
        }

        List<Class<?>> eventTypes() {
            return events.stream().<Class<?>>map(got -> got.event().getClass()).toList();
        }

        long count(Class<? extends CmEvent> type) {
            return events.stream().filter(got -> type.isInstance(got.event())).count();
        }

        CmCounters counters() {
            return cm.counters(1);
        }
    }

    Node node(long guid, String address) {
        return new Node(guid, address, CmOptions.of(guid));
    }

    Node node(long guid, String address, CmOptions options) {
        return new Node(guid, address, options);
    }

    private void put(Flight flight) {
        sent.add(flight);
        if (!isLost.test(flight)) {
            flights.add(flight);
        }
    }

    /** Delivers a datagram, from native memory as a device does. */
    void deliver(Flight flight) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory =
                    arena.allocate(flight.bytes().length, Long.BYTES).copyFrom(MemorySegment.ofArray(flight.bytes()));
            flight.to().cm.received(memory, flight.source());
        }
    }

    /** Delivers all datagrams, also those that they cause, without any time passing. */
    void settle() {
        for (int steps = 0; !flights.isEmpty(); steps++) {
            if (steps > MAX_STEPS) {
                throw new AssertionError("the network does not come to rest");
            }
            deliver(flights.removeFirst());
        }
    }

    /** Runs until this time after the beginning. */
    void runUntil(long untilMs) {
        long untilNs = TimeUnit.MILLISECONDS.toNanos(untilMs);
        settle();
        for (long next = nextDeadline(); next != Deadline.NEVER && next <= untilNs; next = nextDeadline()) {
            advance(next);
            settle();
        }
        advance(untilNs);
        settle();
    }

    /** Runs until no timer is left. */
    void runToTheEnd() {
        settle();
        for (long next = nextDeadline(); next != Deadline.NEVER; next = nextDeadline()) {
            advance(next);
            settle();
        }
    }

    void advance(long toNs) {
        nowNs = toNs;
        nodes.values().stream().distinct().forEach(node -> node.cm.advance(toNs));
    }

    long nextDeadline() {
        return nodes.values().stream()
                .distinct()
                .mapToLong(node -> node.cm.nextDeadline())
                .min()
                .orElse(Deadline.NEVER);
    }

    long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(nowNs);
    }

    long count(CmMessage message) {
        return sent.stream().filter(flight -> flight.is(message)).count();
    }

    Flight lastSent(CmMessage message) {
        return sent.reversed().stream()
                .filter(flight -> flight.is(message))
                .findFirst()
                .orElseThrow();
    }
}
