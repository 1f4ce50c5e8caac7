package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.link.LinkStats;
import io.rdma4j.rxe.RxePort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/**
 * Hosts, what is between them, applications, and time, which jumps from one event to the next. The same seed gives the same run, to
 * the last bit. What is between the hosts, the subclass says. One thread.
 */
public abstract sealed class World implements AutoCloseable permits Simulation, TopologyWorld {
    /** Rounds of work at one point in time, and points in time without time going on: more than that is going in circles. */
    private static final int MAX_ROUNDS = 10_000;

    /** How a run ended. */
    public enum End {
        /** The condition that was waited for came true. */
        FINISHED,
        /** Nothing is under way and nobody waits for anything. */
        IDLE,
        /** The time was up. */
        TIME_LIMIT,
        /** Work without end while time stood still. */
        LIVELOCK
    }

    private final VirtualClock clock;
    private final Trace trace;
    private final List<SimHost> hosts = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();

    /** @param originNs what the clock shows in the beginning */
    World(long originNs) {
        clock = new VirtualClock(originNs);
        trace = new Trace(clock);
    }

    /** The time of all hosts. */
    public final VirtualClock clock() {
        return clock;
    }

    final Trace trace() {
        return trace;
    }

    /** Drives a host from now on, and closes it in the end. */
    final SimHost add(SimHost host) {
        hosts.add(host);
        return host;
    }

    /** In the order in which they were added. */
    final List<SimHost> hosts() {
        return hosts;
    }

    /** Adds an application. */
    public final void addActor(Actor actor) {
        actors.add(actor);
    }

    /** Does what is due now between the hosts; true if there was something. */
    abstract boolean deliver();

    /** When the next thing is due between the hosts, or {@link Deadline#NEVER}. */
    abstract long nextArrivalNs();

    /** What became of the packets on all links so far. */
    abstract LinkStats linkStats();

    /** Packet buffers in use between the hosts. */
    abstract int buffersUnderWay();

    /**
     * Lets things happen until {@code finished}, or until nothing can happen any more, for {@code limitNs} at most.
     *
     * @param finished asked after every step, and once more when it said yes
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

    /** Does everything that is due now; false if that finds no end. */
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

    /** Packets that the hosts have sent so far, retransmissions and answers included. */
    final long sent() {
        return sum(port -> port.counters().sentPackets);
    }

    /** A counter of the ports of all hosts. */
    final long sum(ToLongFunction<RxePort> counter) {
        long sum = 0;
        for (SimHost host : hosts) {
            sum += counter.applyAsLong(host.port());
        }
        return sum;
    }

    /** Packet buffers in use on the hosts and between them; 0 when all is quiet, or one was lost. */
    final int buffersInUse() {
        return buffersUnderWay() + (int) sum(RxePort::buffersInUse);
    }

    /** Closes the hosts, after whoever uses them has closed what it made there. */
    @Override
    public void close() {
        hosts.forEach(SimHost::close);
    }
}
