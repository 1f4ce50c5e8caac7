// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Deadline;
import io.rdma4j.cm.CmId;
import io.rdma4j.wire.mad.CmMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two hosts with rdma_cm, a client that connects once and a server, with all that may happen next. A step is one of: a
 * datagram arrives, is lost, or leaves a copy that arrives at any time; time goes on to the next timer, if no datagram
 * but such copies is on its way and no program must decide; a program calls; a device goes away; a machine forgets
 * everything and starts again. A program answers DISCONNECTED by a disconnection, as programs do.
 */
final class RdmaModel {
    /** What may happen in a run beside the connection. */
    record Budget(int losses, int duplicates, int crashes, int removals, int destructions) {}

    /** Kinds of steps. */
    enum Kind {
        ARRIVE,
        LOSE,
        DUPLICATE,
        ARRIVE_LATE,
        TIME,
        RESOLVE_ADDRESS,
        RESOLVE_ROUTE,
        CONNECT,
        ACCEPT,
        REJECT,
        DISCONNECT,
        DESTROY,
        REMOVE_DEVICE,
        CRASH
    }

    /** A possible step: of a datagram with an index, or of an end of a host. */
    record Step(Kind kind, boolean isClient, int index) {}

    /** An id that the program knows, with its queue pair. */
    private static final class End {
        final RdmaId id;
        final List<ConnectionEventType> events = new ArrayList<>();
        VirtualHosts.@Nullable TestQp qp;
        boolean isDecided;
        boolean isRejected;
        boolean isDisconnected;
        boolean isDestroyed;

        End(RdmaId id) {
            this.id = id;
        }

        boolean has(ConnectionEventType type) {
            return events.contains(type);
        }

        /** True if the program knows that the connection has ended, or never began. */
        boolean isOver() {
            return isDestroyed
                    || isRejected
                    || id.state() != RdmaIdState.CONNECT
                    || events.stream().anyMatch(LAST::contains);
        }
    }

    private final class Machine {
        final VirtualHosts.Port port;
        final boolean isClient;
        final List<End> ends = new ArrayList<>();
        VirtualHosts.VirtualHost host;

        @Nullable
        RdmaId listener;

        Machine(String name, String address, boolean isClient) {
            port = hosts.new Port(name, address);
            this.isClient = isClient;
            host = hosts.host(port);
        }

        void listen() {
            listener = host.listener(PortSpace.TCP, SERVICE);
        }

        /** Gives the events to the program. */
        void takeEvents() {
            for (ConnectionEvent event = host.channel.poll(); event != null; event = host.channel.poll()) {
                RdmaId id = event.id();
                if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
                    End end = new End(id);
                    end.qp = hosts.qp(id);
                    ends.add(end);
                } else if (id != listener) {
                    End end = ends.stream()
                            .filter(one -> one.id == id)
                            .findFirst()
                            .orElseThrow();
                    end.events.add(event.type());
                }
                event.acknowledge();
                if (event.type() == ConnectionEventType.DISCONNECTED) {
                    id.disconnect();
                }
            }
        }

        boolean mustDecide() {
            return ends.stream().anyMatch(end -> !isClient && !end.isDecided && !end.isOver());
        }

        void steps(List<Step> steps) {
            for (int i = 0; i < ends.size(); i++) {
                End end = ends.get(i);
                if (!end.isDestroyed) {
                    steps(end, i, steps);
                }
            }
        }

        private void steps(End end, int index, List<Step> steps) {
            switch (end.id.state()) {
                case IDLE -> add(Kind.RESOLVE_ADDRESS, index, steps);
                case ADDR_RESOLVED -> add(Kind.RESOLVE_ROUTE, index, steps);
                case ROUTE_RESOLVED -> add(Kind.CONNECT, index, steps);
                case CONNECT -> {
                    if (!end.isOver() && !isClient && !end.isDecided) {
                        add(Kind.ACCEPT, index, steps);
                        add(Kind.REJECT, index, steps);
                    } else if (!end.isOver() && !end.isDisconnected && end.has(ConnectionEventType.ESTABLISHED)) {
                        add(Kind.DISCONNECT, index, steps);
                    }
                }
                default -> {}
            }
            if (destructions > 0) {
                add(Kind.DESTROY, index, steps);
            }
        }

        private void add(Kind kind, int index, List<Step> steps) {
            steps.add(new Step(kind, isClient, index));
        }

        void call(Kind kind, End end) {
            switch (kind) {
                case RESOLVE_ADDRESS -> end.id.resolveAddress(null, SERVICE, 2000);
                case RESOLVE_ROUTE -> {
                    end.id.resolveRoute(2000);
                    end.qp = hosts.qp(end.id);
                }
                case CONNECT -> end.id.connect(ConnectParameters.DEFAULT);
                case ACCEPT -> {
                    end.isDecided = true;
                    end.id.accept(ConnectParameters.DEFAULT);
                }
                case REJECT -> {
                    end.isDecided = true;
                    end.isRejected = true;
                    end.id.reject(MemorySegment.NULL);
                }
                case DISCONNECT -> {
                    end.isDisconnected = true;
                    end.id.disconnect();
                }
                case DESTROY -> {
                    destructions--;
                    end.isDestroyed = true;
                    end.id.close();
                }
                default -> throw new AssertionError(kind);
            }
        }

        void crash() {
            ends.clear();
            port.restart(port.guid() + 100);
            host = hosts.host(port);
            if (!isClient) {
                listen();
            }
        }

        long state(long before) {
            long hash = before;
            for (End end : ends) {
                hash = mix(hash, end.isDestroyed ? -1 : end.id.state().ordinal());
                hash = mix(hash, end.events.hashCode());
                hash = mix(hash, (end.isDecided ? 1 : 0) + (end.isRejected ? 2 : 0) + (end.isDisconnected ? 4 : 0));
                hash = mix(hash, end.qp == null ? 0 : end.qp.states().hashCode());
            }
            for (CmId id : port.cm().ids().stream()
                    .sorted(Comparator.comparingInt(CmId::localId))
                    .toList()) {
                hash = mix(hash, id.localId());
                hash = mix(hash, id.remoteId());
                hash = mix(hash, id.state().ordinal());
            }
            for (CmMessage message : CmMessage.values()) {
                hash = mix(hash, port.cm().counters(1).sent(message));
            }
            long deadline = port.cm().nextDeadline();
            return mix(hash, deadline == Deadline.NEVER ? -1 : deadline - hosts.nowNs);
        }

        void complain(List<String> complaints) {
            for (End end : ends) {
                if (!end.isOver()) {
                    complaints.add(end.id + " does not end: " + end.events);
                }
                if (!isInOrder(end.events)) {
                    complaints.add(end.id + " has the events " + end.events);
                }
            }
            ends.stream().filter(end -> !end.isDestroyed).forEach(end -> end.id.close());
            RdmaId listening = listener;
            if (listening != null) {
                listening.close();
            }
            if (ends.stream().anyMatch(end -> end.qp != null && !end.qp.isClosed)) {
                complaints.add("a queue pair is left");
            }
            if (!host.cm.ids().isEmpty()) {
                complaints.add("ids are left: " + host.cm.ids());
            }
        }
    }

    /** Events after which an id is not connected. */
    private static final Set<ConnectionEventType> LAST = EnumSet.of(
            ConnectionEventType.REJECTED,
            ConnectionEventType.UNREACHABLE,
            ConnectionEventType.CONNECT_ERROR,
            ConnectionEventType.DISCONNECTED,
            ConnectionEventType.DEVICE_REMOVAL);

    private static final InetSocketAddress SERVICE = VirtualHosts.address("10.0.0.2", 7471);

    private final VirtualHosts hosts = new VirtualHosts();
    private final Machine client = new Machine("c", "10.0.0.1", true);
    private final Machine server = new Machine("s", "10.0.0.2", false);
    /** Copies that arrive at any time. */
    private final List<VirtualHosts.Flight> late = new ArrayList<>();

    /** States of ids that were seen. */
    final Set<RdmaIdState> seen = EnumSet.noneOf(RdmaIdState.class);

    private int losses;
    private int duplicates;
    private int crashes;
    private int removals;
    private int destructions;
    private boolean isCalm = true;

    RdmaModel(Budget budget) {
        losses = budget.losses();
        duplicates = budget.duplicates();
        crashes = budget.crashes();
        removals = budget.removals();
        destructions = budget.destructions();
        server.listen();
        client.ends.add(new End(client.host.id(PortSpace.TCP)));
        look();
    }

    private void look() {
        for (Machine machine : List.of(client, server)) {
            machine.host.cm.ids().forEach(id -> seen.add(id.state()));
            machine.ends.forEach(end -> seen.add(end.id.state()));
        }
    }

    /** All possible steps. */
    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < hosts.flights.size(); i++) {
            steps.add(new Step(Kind.ARRIVE, false, i));
            if (losses > 0) {
                steps.add(new Step(Kind.LOSE, false, i));
            }
            if (duplicates > 0) {
                steps.add(new Step(Kind.DUPLICATE, false, i));
            }
        }
        for (int i = 0; i < late.size(); i++) {
            steps.add(new Step(Kind.ARRIVE_LATE, false, i));
        }
        boolean isQuiet = hosts.flights.isEmpty() && !client.mustDecide() && !server.mustDecide();
        if (isQuiet && hosts.nextDeadline() != Deadline.NEVER) {
            steps.add(new Step(Kind.TIME, false, 0));
        }
        for (Machine machine : List.of(client, server)) {
            machine.steps(steps);
            if (crashes > 0) {
                steps.add(new Step(Kind.CRASH, machine.isClient, 0));
            }
            if (removals > 0) {
                steps.add(new Step(Kind.REMOVE_DEVICE, machine.isClient, 0));
            }
        }
        return steps;
    }

    /** Makes a step. */
    void run(Step step) {
        Machine machine = step.isClient() ? client : server;
        switch (step.kind()) {
            case ARRIVE -> hosts.deliver(hosts.flights.remove(step.index()));
            case LOSE -> {
                losses--;
                hosts.flights.remove(step.index());
            }
            case DUPLICATE -> {
                duplicates--;
                late.add(hosts.flights.get(step.index()));
            }
            case ARRIVE_LATE -> hosts.deliver(late.remove(step.index()));
            case TIME -> hosts.advance();
            case CRASH -> {
                crashes--;
                isCalm = false;
                machine.crash();
            }
            case REMOVE_DEVICE -> {
                removals--;
                isCalm = false;
                machine.host.cm.deviceRemoved(machine.port);
                machine.host.devices.clear();
            }
            default -> {
                isCalm &= step.kind() != Kind.DESTROY;
                machine.call(step.kind(), machine.ends.get(step.index()));
            }
        }
        client.takeEvents();
        server.takeEvents();
        look();
    }

    /** A hash of the state: states with equal hashes have equal futures. */
    long state() {
        long hash = Objects.hash(losses, duplicates, crashes, removals, destructions, isCalm);
        hash = server.state(client.state(hash));
        return mix(mix(hash, flights(hosts.flights)), flights(late));
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * 0x9E37_79B9_7F4A_7C15L;
        return mixed ^ mixed >>> 29;
    }

    /** The order of datagrams does not matter, since any may arrive next. */
    private static long flights(List<VirtualHosts.Flight> flights) {
        return flights.stream()
                .mapToLong(flight -> mix(
                        flight.to().guid(), Arrays.hashCode(flight.datagram().toArray(ValueLayout.JAVA_BYTE))))
                .map(hash -> mix(hash, 1))
                .sum();
    }

    /**
     * Events of an id in an order that a program can rely on. REJECTED may follow ESTABLISHED: the server destroyed its
     * id before the RTU came.
     */
    private static boolean isInOrder(List<ConnectionEventType> events) {
        StringBuilder letters = new StringBuilder();
        for (ConnectionEventType event : events) {
            letters.append(
                    switch (event) {
                        case ADDR_ERROR -> 'f';
                        case ADDR_RESOLVED -> 'a';
                        case ROUTE_RESOLVED -> 'r';
                        case ESTABLISHED -> 'e';
                        case DISCONNECTED -> 'd';
                        case REJECTED, UNREACHABLE, CONNECT_ERROR -> 'x';
                        case TIMEWAIT_EXIT -> 't';
                        case DEVICE_REMOVAL -> 'v';
                        default -> '?';
                    });
        }
        return letters.toString().matches("(f|ar?)?e?[dx]?t?v?");
    }

    /** What is wrong in a state without further steps; empty if all is well. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        boolean clientConnected = client.ends.stream().anyMatch(end -> end.has(ConnectionEventType.ESTABLISHED));
        boolean serverConnected = server.ends.stream()
                .anyMatch(end -> end.has(ConnectionEventType.ESTABLISHED) || end.has(ConnectionEventType.DISCONNECTED));
        if (isCalm && clientConnected != serverConnected) {
            complaints.add("client connected: " + clientConnected + ", server: " + serverConnected);
        }
        client.complain(complaints);
        server.complain(complaints);
        return complaints;
    }
}
