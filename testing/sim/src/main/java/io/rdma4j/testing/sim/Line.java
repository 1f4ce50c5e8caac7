package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Psn;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WorkCompletion;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A connection on which two programs run, one in each direction. Now and then somebody kills it in the middle of its work:
 * one end goes to ERR, a little later the other one; or a step that must not be done breaks it. When everything has come back,
 * and packets of old can no longer be under way, it is looked at what has happened, and the connection is made anew.
 */
final class Line {
    private enum Phase {
        RUNNING,
        DYING,
        RESTING
    }

    private static final long MAX_AGONY_NS = 400_000;

    private final Endpoint a;
    private final Endpoint b;
    private final Lane there;
    private final Lane back;
    private final List<Lane> lanes;
    private final SplittableRandom random;
    private final long packetLifeNs;
    private final Report report;
    private Connection connection;
    private Phase phase = Phase.RUNNING;
    private int killsLeft;
    private int killAtSteps;
    private int deaths;
    private long nextNs;

    /**
     * @param connection as the initiator of {@code there} sees it
     * @param there one direction
     * @param back the other one
     * @param packetLifeNs how long a packet may be under way
     * @param kills how often it is killed
     */
    Line(Connection connection, Lane there, Lane back, long seed, long packetLifeNs, int kills, Report report) {
        this.a = there.initiatorEnd();
        this.b = there.targetEnd();
        this.connection = connection;
        this.there = there;
        this.back = back;
        this.lanes = List.of(there, back);
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

    Endpoint first() {
        return a;
    }

    Endpoint other() {
        return b;
    }

    List<Lane> lanes() {
        return lanes;
    }

    /** How often it was broken. */
    int deaths() {
        return deaths;
    }

    /** A completion of a queue pair of this connection. */
    void onCompletion(Endpoint at, WorkCompletion wc) {
        lookForCrime(at.host().nowNs());
        boolean dying = phase != Phase.RUNNING;
        boolean receive = (wc.wrId() & Target.WR_ID_MARK) != 0;
        Lane lane = (at == a) == receive ? back : there;
        if (receive) {
            lane.target().onCompletion(wc, dying);
        } else {
            lane.initiator().onCompletion(wc, dying);
        }
    }

    boolean act(long nowNs) {
        lookForCrime(nowNs);
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
        for (Lane lane : lanes) {
            acted |= lane.target().act(nowNs);
            acted |= lane.initiator().act(nowNs);
        }
        return acted;
    }

    /** A step that must not be done has broken an end: the connection is dying. */
    private void lookForCrime(long nowNs) {
        if (phase != Phase.RUNNING || !a.isBroken() && !b.isBroken()) {
            return;
        }
        if (lanes.stream().anyMatch(lane -> lane.initiator().crimeUnderWay() != null)) {
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
        deaths++;
        nextNs = nowNs + random.nextLong(MAX_AGONY_NS);
    }

    private void kill(Endpoint victim) {
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
        for (Lane lane : lanes) {
            soonestNs = Deadline.earlier(soonestNs, lane.target().nextActionNs());
            soonestNs = Deadline.earlier(soonestNs, lane.initiator().nextActionNs());
        }
        return soonestNs;
    }

    private boolean isIdle() {
        return there.isIdle() && back.isIdle();
    }

    boolean isDone() {
        return phase == Phase.RUNNING && there.isDone() && back.isDone();
    }

    /** Steps that have succeeded. */
    int steps() {
        return there.initiator().completed() + back.initiator().completed();
    }

    /** Requests of either kind that have come back. */
    int returned() {
        return steps() + there.target().received() + back.target().received();
    }

    /** All completions there are have been polled. */
    void checkCausality() {
        if (phase == Phase.RUNNING) {
            lanes.forEach(Lane::checkCausality);
        }
    }

    @Override
    public String toString() {
        return phase + ": " + there + "; " + back;
    }
}
