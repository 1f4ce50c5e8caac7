// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;

import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.RejectReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One connection of a client to a server, with all that may happen next. A step is one of: a datagram arrives, is lost,
 * or leaves a copy that arrives at any time; time goes on to the next timer, if no datagram but such copies is on its
 * way; a program acts; a machine forgets everything and starts again.
 */
final class CmModel {
    /**
     * What may go wrong in a run. A pause is a timeout that passes while a program should decide; the client returns if
     * it connects again after its crash.
     */
    record Budget(int losses, int duplicates, int crashes, int pauses, boolean returns) {}

    /** Kinds of steps. */
    enum Kind {
        ARRIVE,
        LOSE,
        DUPLICATE,
        ARRIVE_LATE,
        TIME,
        PAUSE,
        CONFIRM,
        REJECT,
        ACCEPT,
        DATA,
        DISCONNECT,
        ANSWER,
        CRASH,
        CONNECT
    }

    /** A possible step: of a datagram with an index, or of a communication ID on a machine. */
    record Step(Kind kind, boolean isClient, int index) {}

    private static final int RETRIES = 2;
    private static final int QPN = 5;

    private final CmNetwork network = new CmNetwork();
    private final CmNetwork.Node client = network.node(1, "10.77.0.3");
    private final CmNetwork.Node server = network.node(2, "10.77.0.2");
    /** Copies that arrive at any time. */
    private final List<CmNetwork.Flight> late = new ArrayList<>();
    /** Requests that the program of the server answers. */
    private final Map<CmId, CmEvent.ReqReceived> requests = new LinkedHashMap<>();
    /** Ids that saw their connection, in order. */
    private final List<CmId> connectedClients = new ArrayList<>();

    private final List<CmId> connectedServers = new ArrayList<>();
    private int losses;
    private int duplicates;
    private int crashes;
    private int connects = 1;
    private int pauses;
    private final boolean returns;
    private boolean hasCrashed;
    private boolean hasPaused;

    CmModel(Budget budget) {
        losses = budget.losses();
        duplicates = budget.duplicates();
        crashes = budget.crashes();
        pauses = budget.pauses();
        returns = budget.returns();
        server.program = this::serverEvent;
        server.listen(CmPair.SERVICE);
        connect();
    }

    private void connect() {
        connects--;
        CmId id = client.id();
        id.sendReq(ReqParameters.builder(client.pathTo(server), CmPair.SERVICE)
                .queuePair(QpType.RC, QPN, 1)
                .responseTimeouts(20, 20, RETRIES)
                .build());
    }

    private void serverEvent(CmNetwork.Got got) {
        switch (got.event()) {
            case CmEvent.ReqReceived request -> requests.put(got.id(), request);
            case CmEvent.RtuReceived _, CmEvent.UserEstablished _ -> connectedServers.add(got.id());
            case CmEvent.DreqReceived _ -> {
                if (!connectedServers.contains(got.id())) {
                    connectedServers.add(got.id());
                }
            }
            default -> {}
        }
    }

    private static List<CmId> ids(CmNetwork.Node node) {
        return node.cm.ids().stream()
                .sorted(Comparator.comparingInt(CmId::localId))
                .toList();
    }

    /** All possible steps. */
    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < network.flights.size(); i++) {
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
        if (network.flights.isEmpty() && network.nextDeadline() != Deadline.NEVER) {
            boolean isPause = ids(client).stream().anyMatch(CmModel::mustDecide)
                    || ids(server).stream().anyMatch(CmModel::mustDecide);
            if (!isPause || pauses > 0) {
                steps.add(new Step(isPause ? Kind.PAUSE : Kind.TIME, false, 0));
            }
        }
        ids(client).forEach(id -> programSteps(id, true, steps));
        ids(server).forEach(id -> programSteps(id, false, steps));
        if (crashes > 0) {
            steps.add(new Step(Kind.CRASH, true, 0));
            steps.add(new Step(Kind.CRASH, false, 0));
        }
        if (connects > 0) {
            steps.add(new Step(Kind.CONNECT, true, 0));
        }
        return steps;
    }

    private static boolean mustDecide(CmId id) {
        return switch (id.state()) {
            case REQ_RCVD, REP_RCVD, DREQ_RCVD -> true;
            default -> false;
        };
    }

    private void programSteps(CmId id, boolean isClient, List<Step> steps) {
        switch (id.state()) {
            case REP_RCVD -> {
                steps.add(new Step(Kind.CONFIRM, isClient, id.localId()));
                steps.add(new Step(Kind.REJECT, isClient, id.localId()));
            }
            case REQ_RCVD -> {
                steps.add(new Step(Kind.ACCEPT, isClient, id.localId()));
                steps.add(new Step(Kind.REJECT, isClient, id.localId()));
            }
            case REP_SENT -> {
                if (hasData(id)) {
                    steps.add(new Step(Kind.DATA, isClient, id.localId()));
                }
            }
            case ESTABLISHED -> steps.add(new Step(Kind.DISCONNECT, isClient, id.localId()));
            case DREQ_RCVD -> steps.add(new Step(Kind.ANSWER, isClient, id.localId()));
            default -> {}
        }
    }

    /** The peer of a server's end has sent data if it is connected. */
    private boolean hasData(CmId id) {
        return connectedClients.stream()
                .anyMatch(peer -> peer.localId() == id.remoteId() && peer.remoteId() == id.localId());
    }

    /** Makes a step. */
    void run(Step step) {
        CmNetwork.Node node = step.isClient() ? client : server;
        switch (step.kind()) {
            case ARRIVE -> network.deliver(network.flights.remove(step.index()));
            case LOSE -> {
                losses--;
                network.flights.remove(step.index());
            }
            case DUPLICATE -> {
                duplicates--;
                late.add(network.flights.get(step.index()));
            }
            case ARRIVE_LATE -> network.deliver(late.remove(step.index()));
            case TIME -> network.advance(network.nextDeadline());
            case PAUSE -> {
                pauses--;
                hasPaused = true;
                network.advance(network.nextDeadline());
            }
            case CRASH -> crash(node);
            case CONNECT -> connect();
            default -> program(step.kind(), Objects.requireNonNull(node.cm.byLocalId(step.index())));
        }
    }

    private void program(Kind kind, CmId id) {
        switch (kind) {
            case CONFIRM -> {
                id.sendRtu(NONE);
                connectedClients.add(id);
            }
            case REJECT -> id.sendRej(RejectReason.CONSUMER_DEFINED, NONE, NONE);
            case ACCEPT -> id.sendRep(RepParameters.to(Objects.requireNonNull(requests.get(id)), QPN, 1));
            case DATA -> id.establish();
            case DISCONNECT -> id.sendDreq(NONE);
            case ANSWER -> id.sendDrep(NONE);
            default -> throw new AssertionError(kind);
        }
    }

    private void crash(CmNetwork.Node node) {
        crashes--;
        hasCrashed = true;
        node.crash(CmOptions.of(node.guid() + 100));
        if (node.guid() == server.guid()) {
            requests.clear();
            server.listen(CmPair.SERVICE);
        } else if (returns) {
            connects = 1;
        }
    }

    /** A hash of the state: states with equal hashes have equal futures. */
    long state() {
        long hash = Objects.hash(losses, duplicates, crashes, connects, pauses, hasCrashed, hasPaused);
        for (CmNetwork.Node node : List.of(client, server)) {
            for (CmId id : ids(node)) {
                hash = mix(hash, id.localId());
                hash = mix(hash, id.remoteId());
                hash = mix(hash, id.state().ordinal());
                hash = mix(hash, id.exchange.retriesLeft);
                hash = mix(hash, id.exchange.timer.isRunning() ? id.exchange.timer.deadlineNs() - network.nowNs : -1);
                hash = mix(
                        hash,
                        id.exchange.hasAnswered(CmMessage.RTU) ? 1 : id.exchange.hasAnswered(CmMessage.DREP) ? 2 : 0);
                hash = mix(hash, connectedClients.contains(id) || connectedServers.contains(id) ? 1 : 0);
            }
            TimerHeap timers = node.cm.timers();
            hash = mix(
                    hash,
                    Arrays.stream(timers.heap, 0, timers.size())
                            .mapToLong(timer -> timer.deadlineNs() - network.nowNs)
                            .sorted()
                            .reduce(timers.size(), CmModel::mix));
        }
        return mix(mix(hash, flights(network.flights)), flights(late));
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * 0x9E37_79B9_7F4A_7C15L;
        return mixed ^ mixed >>> 29;
    }

    /** The order of datagrams does not matter, since any may arrive next. */
    private static long flights(List<CmNetwork.Flight> flights) {
        return flights.stream()
                .mapToLong(flight -> mix(flight.to().guid(), Arrays.hashCode(flight.bytes())))
                .map(hash -> mix(hash, 1))
                .sum();
    }

    /** What is wrong in a state without further steps; empty if all is well. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        for (CmNetwork.Node node : List.of(client, server)) {
            for (CmId id : ids(node)) {
                if (id.state() != CmState.IDLE && id.state() != CmState.LISTEN) {
                    complaints.add(id + " does not end");
                }
            }
        }
        if (!hasCrashed && !hasPaused && connectedClients.size() != connectedServers.size()) {
            complaints.add("client connected " + connectedClients.size() + " times, server " + connectedServers.size());
        }
        client.cm.destroyIds();
        server.cm.destroyIds();
        if (client.cm.size() + server.cm.size() != 0) {
            complaints.add("entries are left in tables");
        }
        return complaints;
    }
}
