package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.net.link.LinkProfile;
import io.rdma4j.transport.TransportOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Hosts, the network between them, and time, which jumps from one event to the next. The same seed gives the same run, to
 * the last bit. One thread.
 */
public final class Simulation implements AutoCloseable {
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
    private final SimNetwork network;
    private final List<SimHost> hosts = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();

    /** @param profile of all links; {@link SimLink#profile} changes a single one */
    public Simulation(long seed, LinkProfile profile) {
        this(seed, profile, 0);
    }

    /** @param originNs what the clock shows in the beginning */
    public Simulation(long seed, LinkProfile profile, long originNs) {
        clock = new VirtualClock(originNs);
        trace = new Trace(clock);
        network = new SimNetwork(clock, trace, profile, seed);
    }

    /** The time of all hosts. */
    public VirtualClock clock() {
        return clock;
    }

    /** What connects them. */
    public SimNetwork network() {
        return network;
    }

    Trace trace() {
        return trace;
    }

    /**
     * Adds a machine.
     *
     * @param mtuBytes largest IP packet that its card sends, up to 4224
     */
    public SimHost addHost(Gid address, int mtuBytes, TransportOptions options) {
        return addHost(List.of(address), mtuBytes, options);
    }

    /** The same, with several addresses, which are its GID table. */
    public SimHost addHost(List<Gid> addresses, int mtuBytes, TransportOptions options) {
        SimHost host = new SimHost(network.attach(mtuBytes, addresses), clock, options);
        hosts.add(host);
        return host;
    }

    /** Adds an application. */
    public void addActor(Actor actor) {
        actors.add(actor);
    }

    /**
     * Lets things happen until {@code finished}, or until nothing can happen any more, for {@code limitNs} at most.
     *
     * @param finished asked after every step, and once more when it said yes
     */
    public End run(BooleanSupplier finished, long limitNs) {
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
            boolean worked = network.deliver();
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
        long nextNs = network.nextArrivalNs();
        for (SimHost host : hosts) {
            nextNs = Deadline.earlier(nextNs, host.port().nextDeadlineNs());
        }
        for (Actor actor : actors) {
            nextNs = Deadline.earlier(nextNs, actor.nextActionNs());
        }
        return nextNs;
    }

    /** Packet buffers that the network or a host has in use; 0 when all is quiet, or one was lost. */
    int buffersInUse() {
        int inUse = network.buffersInUse();
        for (SimHost host : hosts) {
            inUse += host.port().buffersInUse();
        }
        return inUse;
    }

    List<SimHost> hosts() {
        return hosts;
    }

    @Override
    public void close() {
        hosts.forEach(SimHost::close);
        network.close();
    }
}
