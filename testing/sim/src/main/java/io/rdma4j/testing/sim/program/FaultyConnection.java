// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Psn;
import io.rdma4j.testing.sim.world.ConnectionSetup;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.TraceKind;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A connection on which two programs run, one in each direction. The simulator breaks it at random times: it moves one
 * end to ERR, and the other end a little later. A step with a protocol violation breaks it too. When all requests have
 * completed and no old packet can be in flight, the checkers compare the results, and the connection is made again.
 */
final class FaultyConnection {
    private enum Phase {
        RUNNING,
        DYING,
        RESTING
    }

    private static final long MAX_CLOSE_NS = 400_000;

    private final SimEndpoint a;
    private final SimEndpoint b;
    private final DirectionModel there;
    private final DirectionModel back;
    private final List<DirectionModel> directions;
    private final SplittableRandom random;
    private final long packetLifeNs;
    private final RunReport report;
    private ConnectionSetup connection;
    private Phase phase = Phase.RUNNING;
    private int killsLeft;
    private int killAtSteps;
    private int closes;
    private long nextNs;

    /**
     * @param connection attributes as the initiator of {@code there} uses them
     * @param there one direction
     * @param back the other direction
     * @param packetLifeNs maximum lifetime of a packet
     * @param kills how often the simulator breaks the connection
     */
    FaultyConnection(
            ConnectionSetup connection,
            DirectionModel there,
            DirectionModel back,
            long seed,
            long packetLifeNs,
            int kills,
            RunReport report) {
        this.a = there.initiatorEnd();
        this.b = there.targetEnd();
        this.connection = connection;
        this.there = there;
        this.back = back;
        this.directions = List.of(there, back);
        this.random = new SplittableRandom(seed);
        this.packetLifeNs = packetLifeNs;
        this.killsLeft = kills;
        this.report = report;
        there.begin(back);
        back.begin(there);
        connect();
        planKill();
    }

    private void connect() {
        a.connect(b, connection);
        b.connect(a, connection.reversed());
    }

    private void planKill() {
        int all = there.program().count() + back.program().count();
        killAtSteps = killsLeft == 0 ? Integer.MAX_VALUE : steps() + random.nextInt(Math.max(1, all - steps()));
    }

    SimEndpoint first() {
        return a;
    }

    SimEndpoint other() {
        return b;
    }

    List<DirectionModel> directions() {
        return directions;
    }

    /** Number of times that the connection was broken. */
    int closes() {
        return closes;
    }

    /** Handles a completion of a queue pair of this connection. */
    void onCompletion(SimEndpoint at, WorkCompletion wc) {
        chooseViolation(at.host().nowNs());
        boolean dying = phase != Phase.RUNNING;
        boolean receive = (wc.wrId() & Target.WR_ID_MARK) != 0;
        DirectionModel direction = (at == a) == receive ? back : there;
        if (receive) {
            direction.target().onCompletion(wc, dying);
        } else {
            direction.initiator().onCompletion(wc, dying);
        }
    }

    boolean act(long nowNs) {
        chooseViolation(nowNs);
        return switch (phase) {
            case RUNNING -> run(nowNs);
            case DYING -> nextNs - nowNs <= 0 && killAll(nowNs);
            case RESTING -> nextNs - nowNs <= 0 && isIdle() && resume();
        };
    }

    private boolean run(long nowNs) {
        if (steps() >= killAtSteps && !isDone()) {
            killFirst(nowNs);
            return true;
        }
        boolean acted = false;
        for (DirectionModel direction : directions) {
            acted |= direction.target().act(nowNs);
            acted |= direction.initiator().act(nowNs);
        }
        return acted;
    }

    /** Starts to close the connection if a step with a protocol violation has broken an end. */
    private void chooseViolation(long nowNs) {
        if (phase != Phase.RUNNING || !a.isBroken() && !b.isBroken()) {
            return;
        }
        if (directions.stream().anyMatch(direction -> direction.initiator().violationPending() != null)) {
            die(nowNs);
        }
    }

    private void killFirst(long nowNs) {
        killsLeft--;
        kill(random.nextBoolean() ? a : b);
        die(nowNs);
    }

    private void die(long nowNs) {
        phase = Phase.DYING;
        closes++;
        nextNs = nowNs + random.nextLong(MAX_CLOSE_NS);
    }

    private void kill(SimEndpoint victim) {
        victim.enter(QpState.ERR);
        report.event(TraceKind.KILLED, victim.host().index(), victim.qp().qpn(), 0);
    }

    private boolean killAll(long nowNs) {
        kill(a);
        kill(b);
        phase = Phase.RESTING;
        nextNs = nowNs + packetLifeNs;
        return true;
    }

    private boolean resume() {
        there.resume(connection.sqPsn());
        back.resume(connection.rqPsn());
        a.enter(QpState.RESET);
        b.enter(QpState.RESET);
        connection = connection.withPsns(random.nextInt(Psn.MASK + 1), random.nextInt(Psn.MASK + 1));
        connect();
        report.event(TraceKind.REVIVED, a.host().index(), a.qp().qpn(), 0);
        phase = Phase.RUNNING;
        planKill();
        return true;
    }

    long nextActionNs() {
        if (phase != Phase.RUNNING) {
            return phase == Phase.RESTING && !isIdle() ? Deadline.NEVER : nextNs;
        }
        long soonestNs = Deadline.NEVER;
        for (DirectionModel direction : directions) {
            soonestNs = Deadline.earlier(soonestNs, direction.target().nextActionNs());
            soonestNs = Deadline.earlier(soonestNs, direction.initiator().nextActionNs());
        }
        return soonestNs;
    }

    private boolean isIdle() {
        return there.isIdle() && back.isIdle();
    }

    boolean isDone() {
        return phase == Phase.RUNNING && there.isDone() && back.isDone();
    }

    /** Number of steps that have succeeded. */
    int steps() {
        return there.initiator().completed() + back.initiator().completed();
    }

    /** Number of completed requests: steps and receives. */
    int returned() {
        return steps() + there.target().received() + back.target().received();
    }

    /** Checks causality, after all completions are polled. */
    void checkCausality() {
        if (phase == Phase.RUNNING) {
            directions.forEach(DirectionModel::checkCausality);
        }
    }

    @Override
    public String toString() {
        return phase + ": " + there + "; " + back;
    }
}
