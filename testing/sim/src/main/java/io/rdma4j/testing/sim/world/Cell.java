// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import io.rdma4j.loop.NetLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Event loops and applications with one clock, which advances from event to event. Only the loops and applications that
 * an event concerns have turns. One thread at a time.
 */
final class Cell {
    /**
     * Maximum number of rounds of work at one time, and of consecutive events without advance of time; more is a
     * livelock.
     */
    private static final int MAX_ROUNDS = 10_000;

    private final VirtualClock clock;
    private final EventTrace trace;
    private final Arrivals arrivals;

    /** Loops of hosts and of what is between them, by part of {@link #loopAgenda}. */
    private final List<WorldLoop> loops = new ArrayList<>();

    private final Agenda loopAgenda = new Agenda();

    /** Applications, by part of {@link #actorAgenda}. */
    private final List<Actor> actors = new ArrayList<>();

    private final Agenda actorAgenda = new Agenda();

    /** Applications that act at the events of every loop. */
    private final List<Integer> watchers = new ArrayList<>();

    private long sent;

    Cell(VirtualClock clock, EventTrace trace, Arrivals arrivals) {
        this.clock = clock;
        this.trace = trace;
        this.arrivals = arrivals;
    }

    VirtualClock clock() {
        return clock;
    }

    EventTrace trace() {
        return trace;
    }

    /**
     * Adds a loop. At one time, loops have their turns in the order of addition.
     *
     * @param host null for a machine between the hosts
     */
    WorldLoop add(NetLoop loop, @Nullable SimHost host) {
        WorldLoop added = new WorldLoop(loop, host, loopAgenda);
        loops.add(added);
        loop.onDue(added::wake);
        return added;
    }

    /** Adds an application of hosts in this cell. */
    void add(Actor actor) {
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

    /** Gives a host and its applications a turn now. */
    void wake(SimHost host) {
        loops.stream().filter(loop -> host.equals(loop.host())).forEach(WorldLoop::wake);
    }

    /** Gives everything a turn now: the caller may have changed anything. */
    void wakeAll() {
        for (int part = 0; part < loops.size(); part++) {
            loopAgenda.wake(part);
        }
        for (int part = 0; part < actors.size(); part++) {
            actorAgenda.wake(part);
        }
    }

    /**
     * Runs until {@code finished} is true, or no event is left before {@code endNs} or at that time.
     *
     * @param finished called after every step, and once more after it returned true
     */
    RunEnd run(BooleanSupplier finished, long endNs) {
        int standingStill = 0;
        while (workUntilIdle(finished)) {
            if (finished.getAsBoolean()) {
                return RunEnd.FINISHED;
            }
            long nextNs = nextEventNs();
            if (nextNs == Deadline.NEVER) {
                return RunEnd.IDLE;
            }
            if (nextNs - endNs > 0) {
                return RunEnd.TIME_LIMIT;
            }
            if (nextNs - clock.nanoTime() > 0) {
                clock.advanceTo(nextNs);
                standingStill = 0;
            } else if (++standingStill > MAX_ROUNDS) {
                return RunEnd.LIVELOCK;
            }
        }
        return RunEnd.LIVELOCK;
    }

    /** Runs everything before a time. */
    RunEnd runWindow(long endNs) {
        boolean due = loopAgenda.nextWoken(0) >= 0 || actorAgenda.nextWoken(0) >= 0;
        return due || Deadline.isDue(nextEventNs(), endNs - 1) ? run(() -> false, endNs - 1) : RunEnd.TIME_LIMIT;
    }

    /** Does everything that is due now; false if the work does not end. */
    private boolean workUntilIdle(BooleanSupplier finished) {
        long nowNs = clock.nanoTime();
        loopAgenda.wakeUntil(nowNs);
        actorAgenda.wakeUntil(nowNs);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            boolean worked = arrivals.deliver();
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

    /** Time of the next event, or {@link Deadline#NEVER}. */
    long nextEventNs() {
        long hostsNs = Deadline.earlier(loopAgenda.nextNs(), actorAgenda.nextNs());
        return Deadline.earlier(arrivals.nextArrivalNs(), hostsNs);
    }

    /** Packets that the hosts have sent up to their last turns, including retransmissions and responses. */
    long sent() {
        return sent;
    }
}
