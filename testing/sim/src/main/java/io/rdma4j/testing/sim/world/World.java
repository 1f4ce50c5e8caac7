// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import io.rdma4j.links.LinkStats;
import io.rdma4j.rxe.RxePort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/**
 * Hosts, the network between them, applications, and time, which advances from event to event. The same seed gives the
 * same run, bit for bit. The subclass defines the network. One thread.
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
    private final List<Actor> actors = new ArrayList<>();

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
    final SimHost add(SimHost host) {
        hosts.add(host);
        return host;
    }

    /** The hosts in the order in which they were added. */
    public final List<SimHost> hosts() {
        return hosts;
    }

    /** Adds an application. */
    public final void addActor(Actor actor) {
        actors.add(actor);
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

    /** Does everything that is due now; false if the work does not end. */
    private boolean workUntilIdle(BooleanSupplier finished) {
        long nowNs = clock.nanoTime();
        for (int round = 0; round < MAX_ROUNDS; round++) {
            boolean worked = deliver();
            for (SimHost host : hosts) {
                worked |= host.port().progress(nowNs);
            }
            for (Actor actor : actors) {
                worked |= actor.act(nowNs);
            }
            if (!worked || finished.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    private long nextEventNs() {
        long nextNs = nextArrivalNs();
        for (SimHost host : hosts) {
            nextNs = Deadline.earlier(nextNs, host.port().nextDeadlineNs());
        }
        for (Actor actor : actors) {
            nextNs = Deadline.earlier(nextNs, actor.nextActionNs());
        }
        return nextNs;
    }

    /** Packets that the hosts have sent, including retransmissions and responses. */
    final long sent() {
        return sum(port -> port.counters().sentPackets);
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
