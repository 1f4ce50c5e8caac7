// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import io.rdma4j.links.LinkStats;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.rxe.RxePort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Hosts, the network between them, applications, and time, which advances from event to event. Only the hosts, machines
 * and applications that an event concerns have turns. The same seed gives the same run, bit for bit. The subclass
 * defines the network. One thread.
 */
public abstract sealed class World implements AutoCloseable permits Simulation, TopologyWorld {
    /**
     * Maximum number of rounds of work at one time, and of consecutive events without advance of time; more is a
     * livelock.
     */
    private static final int MAX_ROUNDS = 10_000;

    /** Result of {@link #run}. */
    public enum End {
        /** The awaited condition became true. */
        FINISHED,
        /** No packet is in flight and no timer is armed. */
        IDLE,
        /** The time limit was reached. */
        TIME_LIMIT,
        /** Work without end while time did not advance. */
        LIVELOCK
    }

    private final VirtualClock clock;
    private final EventTrace trace;
    private final List<SimHost> hosts = new ArrayList<>();

    /** Loops of hosts and of what is between them, by part of {@link #loopAgenda}. */
    private final List<WorldLoop> loops = new ArrayList<>();

    private final Agenda loopAgenda = new Agenda();

    /** Applications, by part of {@link #actorAgenda}. */
    private final List<Actor> actors = new ArrayList<>();

    private final Agenda actorAgenda = new Agenda();

    /** Applications that act at the events of every loop. */
    private final List<Integer> watchers = new ArrayList<>();

    private long sent;

    /** @param originNs initial value of the clock */
    World(long originNs) {
        clock = new VirtualClock(originNs);
        trace = new EventTrace(clock);
    }

    /** The clock of all hosts. */
    public final VirtualClock clock() {
        return clock;
    }

    public final EventTrace trace() {
        return trace;
    }

    /** Adds a host; this object drives it from now on and closes it at the end. */
    final WorldLoop add(SimHost host) {
        hosts.add(host);
        return add(host.port().loop(), host);
    }

    /** Adds the loop of a machine between the hosts. At one time, loops have their turns in the order of addition. */
    final void addLoop(NetLoop loop) {
        add(loop, null);
    }

    private WorldLoop add(NetLoop loop, @Nullable SimHost host) {
        WorldLoop added = new WorldLoop(loop, host, loopAgenda);
        loops.add(added);
        loop.onDue(added::wake);
        return added;
    }

    /** The hosts in the order in which they were added. */
    public final List<SimHost> hosts() {
        return hosts;
    }

    /** Adds an application. */
    public final void addActor(Actor actor) {
        int part = actorAgenda.add();
        actors.add(actor);
        List<SimHost> own = actor.hosts();
        if (own.isEmpty()) {
            watchers.add(part);
        }
        for (WorldLoop loop : loops) {
            if (loop.host() != null && own.contains(loop.host())) {
                loop.actors().add(part);
            }
        }
    }

    /** Gives a host and its applications a turn now, because another application has changed what they do. */
    public final void wake(SimHost host) {
        loops.stream().filter(loop -> host.equals(loop.host())).forEach(WorldLoop::wake);
    }

    /** Delivers what is due between the hosts; true if there was something. */
    abstract boolean deliver();

    /** Time of the next event between the hosts, or {@link Deadline#NEVER}. */
    abstract long nextArrivalNs();

    /** Numbers of delivered, lost and changed packets of all links. */
    abstract LinkStats linkStats();

    /** Packet buffers in use between the hosts. */
    abstract int buffersUnderWay();

    /**
     * Runs until {@code finished} is true, or until no event is left, for {@code limitNs} at most.
     *
     * @param finished called after every step, and once more after it returned true
     */
    public final End run(BooleanSupplier finished, long limitNs) {
        long endNs = Deadline.after(clock.nanoTime(), limitNs);
        int standingStill = 0;
        wakeAll();
        while (workUntilIdle(finished)) {
            if (finished.getAsBoolean()) {
                return End.FINISHED;
            }
            long nextNs = nextEventNs();
            if (nextNs == Deadline.NEVER) {
                return End.IDLE;
            }
            if (nextNs - endNs > 0) {
                return End.TIME_LIMIT;
            }
            if (nextNs - clock.nanoTime() > 0) {
                clock.advanceTo(nextNs);
                standingStill = 0;
            } else if (++standingStill > MAX_ROUNDS) {
                return End.LIVELOCK;
            }
        }
        return End.LIVELOCK;
    }

    /** The caller may have changed anything since the last run. */
    private void wakeAll() {
        for (int part = 0; part < loops.size(); part++) {
            loopAgenda.wake(part);
        }
        for (int part = 0; part < actors.size(); part++) {
            actorAgenda.wake(part);
        }
    }

    /** Does everything that is due now; false if the work does not end. */
    private boolean workUntilIdle(BooleanSupplier finished) {
        long nowNs = clock.nanoTime();
        loopAgenda.wakeUntil(nowNs);
        actorAgenda.wakeUntil(nowNs);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            boolean worked = deliver();
            worked |= runLoops(nowNs);
            worked |= runActors(nowNs);
            if (!worked || finished.getAsBoolean()) {
                endTurns();
                return true;
            }
        }
        return false;
    }

    /** A loop that has done nothing has its next turn when it has new work, or at its deadline. */
    private boolean runLoops(long nowNs) {
        boolean worked = false;
        for (int part = loopAgenda.nextWoken(0); part >= 0; part = loopAgenda.nextWoken(part + 1)) {
            loopAgenda.beginTurn(part);
            WorldLoop loop = loops.get(part);
            worked |= loop.loop().progress(nowNs);
            if (Deadline.isDue(loop.loop().nextDeadlineNs(), nowNs)) {
                loopAgenda.wake(part);
            }
            sent += loop.newlySent();
            loop.actors().forEach(actorAgenda::wake);
            watchers.forEach(actorAgenda::wake);
        }
        return worked;
    }

    /** An application that needs no turns without events has the next one when it acted, or with one of its hosts. */
    private boolean runActors(long nowNs) {
        boolean acted = false;
        for (int part = actorAgenda.nextDue(0); part >= 0; part = actorAgenda.nextDue(part + 1)) {
            Actor actor = actors.get(part);
            if (actorAgenda.isWoken(part) || !actor.isEventDriven()) {
                actorAgenda.beginTurn(part);
                if (actor.act(nowNs)) {
                    actorAgenda.wake(part);
                    acted = true;
                }
            }
        }
        return acted;
    }

    private void endTurns() {
        for (int part = loopAgenda.nextDue(0); part >= 0; part = loopAgenda.nextDue(part + 1)) {
            loopAgenda.endTurn(part, loops.get(part).loop().nextDeadlineNs());
        }
        for (int part = actorAgenda.nextDue(0); part >= 0; part = actorAgenda.nextDue(part + 1)) {
            actorAgenda.endTurn(part, actors.get(part).nextActionNs());
        }
    }

    private long nextEventNs() {
        long hostsNs = Deadline.earlier(loopAgenda.nextNs(), actorAgenda.nextNs());
        return Deadline.earlier(nextArrivalNs(), hostsNs);
    }

    /** Packets that the hosts have sent up to their last turns, including retransmissions and responses. */
    final long sent() {
        return sent;
    }

    /** Sums up a counter of the ports of all hosts. */
    final long sum(ToLongFunction<RxePort> counter) {
        long sum = 0;
        for (SimHost host : hosts) {
            sum += counter.applyAsLong(host.port());
        }
        return sum;
    }

    /** Packet buffers in use on the hosts and between them; 0 in an idle network that has lost no buffer. */
    public final int buffersInUse() {
        return buffersUnderWay() + (int) sum(RxePort::buffersInUse);
    }

    /** Closes the hosts. Their users have closed their verbs objects before. */
    @Override
    public void close() {
        hosts.forEach(SimHost::close);
    }
}
