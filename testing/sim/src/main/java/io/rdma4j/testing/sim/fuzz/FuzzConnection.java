// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.fuzz;

import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.sim.program.StepKind;
import io.rdma4j.testing.sim.world.ConnectionSetup;
import io.rdma4j.testing.sim.world.QpConnector;
import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.testing.sim.world.SharedQueue;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A connection that receives forged packets. Both ends post valid requests of all kinds as far as their states allow.
 * The attacked end changes its state from time to time.
 */
final class FuzzConnection {
    private static final int MAX_BYTES = 6000;
    private static final int RECEIVE_BYTES = 2048;
    private static final int POLL = 64;

    private final SimEndpoint peer;
    private final SimEndpoint victim;
    private final MemoryRegion peerMemory;
    private final FuzzVictim registered;
    private final ConnectionSetup connection;
    private final SplittableRandom random;
    private final List<StepKind> kinds;

    FuzzConnection(
            SimEndpoint peer,
            SimEndpoint victim,
            FuzzVictim registered,
            ConnectionSetup connection,
            SplittableRandom random) {
        this.peer = peer;
        this.victim = victim;
        this.registered = registered;
        this.connection = connection;
        this.random = random;
        this.peerMemory = peer.register(2L * SimEndpoint.PAGE_BYTES, SimEndpoint.REMOTE_RIGHTS);
        this.kinds = StepKind.of(victim.service()).stream()
                .filter(kind -> !kind.invalidates() && !kind.isShared())
                .toList();
        connect(QpState.RTS);
    }

    private void connect(QpState top) {
        peer.connect(victim, connection);
        victim.connect(peer, connection.reversed(), top);
    }

    /** Posts requests at both ends, where the states and queues permit it. */
    void work() {
        postReceive(victim, registered.landing());
        postReceive(peer, peerMemory);
        post(peer, peerMemory, registered.open());
        post(victim, registered.landing(), peerMemory);
        for (SimEndpoint end : List.of(peer, victim)) {
            drain(end.sendCq());
            drain(end.receiveCq());
        }
    }

    /** Discards all completions: forged packets may produce any completion. */
    private static void drain(CompletionQueue cq) {
        int polled;
        do {
            polled = cq.poll(POLL).size();
        } while (polled > 0);
    }

    private void postReceive(SimEndpoint end, MemoryRegion into) {
        SharedQueue shared = end.shared();
        try {
            ReceiveBatch batch =
                    shared == null ? end.qp().startReceive() : shared.srq().startReceive();
            batch.receive(0);
            if (shared == null) {
                batch.sge(into.lkey(), into.address(), RECEIVE_BYTES);
            }
            batch.complete();
        } catch (RdmaException _) {
            // The queue is full, or the queue pair is in a state that does not accept requests. The test covers both.
        }
    }

    private void post(SimEndpoint end, MemoryRegion own, MemoryRegion remote) {
        StepKind kind = kinds.get(random.nextInt(kinds.size()));
        int length = random.nextInt(end.service() == Service.UD ? 1000 : MAX_BYTES);
        try {
            SendBatch batch = end.qp().startSend();
            batch.signaled();
            add(batch, kind, remote, kind == StepKind.FLUSH ? 1 : length);
            switch (end.service()) {
                case UD -> batch.destination(end.path(), end.peerQpn(), QpConnector.QKEY);
                case XRC -> batch.xrcSrq(end.peerQueue());
                case RC, UC -> {}
            }
            if (kind.hasMessageLength()) {
                batch.sge(own.lkey(), own.iova(), length);
            } else if (kind.lands()) {
                batch.sge(own.lkey(), own.iova(), Long.BYTES);
            }
            batch.complete();
        } catch (RdmaException _) {
            // As for receives.
        }
    }

    private void add(SendBatch batch, StepKind kind, MemoryRegion remote, int length) {
        int rkey = remote.rkey();
        long at = remote.iova();
        switch (kind) {
            case SEND -> batch.send();
            case SEND_WITH_IMMEDIATE -> batch.sendImm(length);
            case WRITE -> batch.rdmaWrite(rkey, at);
            case WRITE_WITH_IMMEDIATE -> batch.rdmaWriteImm(rkey, at, length);
            case READ -> batch.rdmaRead(rkey, at);
            case COMPARE_SWAP -> batch.atomicCompareSwap(rkey, at, 0, length);
            case FETCH_ADD -> batch.atomicFetchAdd(rkey, at, length);
            case MASKED_COMPARE_SWAP -> batch.maskedAtomicCompareSwap(rkey, at, 0, -1, length, -1);
            case MASKED_FETCH_ADD -> batch.maskedAtomicFetchAdd(rkey, at, length, 1);
            case ATOMIC_WRITE -> batch.atomicWrite(rkey, at, length);
            case FLUSH -> batch.flush(rkey, at, length, FlushType.GLOBAL.bit(), FlushLevel.RANGE);
            default -> throw new IllegalArgumentException(kind + " is not posted here");
        }
    }

    /** Sometimes moves the attacked end to another state. An end that cannot continue is mostly connected again. */
    void move() {
        boolean broken = peer.isBroken() || victim.isBroken();
        switch (random.nextInt(broken ? 4 : 24)) {
            case 0, 1, 2 -> reconnect(QpState.RTS);
            case 3 -> reconnect(random.nextBoolean() ? QpState.INIT : QpState.RTR);
            case 4 -> breakVictim();
            case 5 -> victim.enter(QpState.RESET);
            case 6 -> drainSends();
            default -> {}
        }
    }

    private void breakVictim() {
        if (victim.qp().state() != QpState.RESET) {
            victim.enter(QpState.ERR);
        }
    }

    private void drainSends() {
        if (victim.qp().state() == QpState.RTS) {
            victim.qp().modify(QpAttributes.builder().state(QpState.SQD).build());
        }
    }

    private void reconnect(QpState top) {
        stop();
        connect(top);
    }

    /** Stops sending and serving requests. */
    void stop() {
        peer.enter(QpState.RESET);
        victim.enter(QpState.RESET);
    }
}
