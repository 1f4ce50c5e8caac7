// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.fuzz;

import io.rdma4j.base.Mtu;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.program.GuardedMemory;
import io.rdma4j.testing.sim.run.FuzzRun;
import io.rdma4j.testing.sim.world.Choices;
import io.rdma4j.testing.sim.world.Closing;
import io.rdma4j.testing.sim.world.ConnectionSetup;
import io.rdma4j.testing.sim.world.RunEnd;
import io.rdma4j.testing.sim.world.RunLoop;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Seeds;
import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.testing.sim.world.SharedQueue;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.SimNetwork;
import io.rdma4j.testing.sim.world.Simulation;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.SignalType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Hosts and connections of a {@link FuzzRun}: a valid host, and a host that receives forged packets with the valid
 * host's address.
 */
public final class FuzzWorld implements AutoCloseable {
    private static final int PURPOSE = 4;
    private static final int PEER = 0;
    private static final int VICTIM = 1;
    private static final int PACKETS_PER_MESSAGE = 100;
    private static final int MAX_BURST = 6;
    private static final int BURSTS_PER_LOOK = 16;
    private static final long MEMORY_BYTES = 1 << 21;
    private static final long MAX_PAUSE_NS = 60_000;
    private static final long REST_NS = 60_000_000_000L;
    private static final int DEPTH = 15;

    /** ACK timeout code 4: 4.096 µs · 2^4 = 65.5 µs, so that connections with forged packets fail soon. */
    private static final int TIMEOUT = 4;

    private static final int RETRIES = 2;
    private static final int RNR_TIMER = 1;
    private static final QpCapabilities SIZES = new QpCapabilities(DEPTH, DEPTH, 2, 2, 0);

    private final Simulation simulation;
    private final SimScenario scenario;
    private final SplittableRandom random;
    private final RunReport report;
    private final PacketForge forge;
    private final Arena arena = Arena.ofShared();
    private final GuardedMemory memory = new GuardedMemory(arena, MEMORY_BYTES);
    private final Deque<AutoCloseable> objects = new ArrayDeque<>();
    private final List<SimHost> hosts = new ArrayList<>();
    private final List<FuzzConnection> lines = new ArrayList<>();
    private final List<FuzzVictim> victims = new ArrayList<>();
    private int forged;

    /** Adds the hosts to {@code simulation}. */
    public FuzzWorld(Simulation simulation, SimScenario scenario) {
        this.simulation = simulation;
        this.scenario = scenario;
        this.random = Seeds.stream(scenario.seed(), PURPOSE);
        this.report = new RunReport(simulation.clock(), simulation.trace());
        this.forge = new PacketForge(random.split());
        simulation.trace().hideAddresses();
        Choices choices = Choices.of(scenario);
        for (int i = 0; i < 2; i++) {
            hosts.add(simulation.addHost(choices.address(i), SimNetwork.MAX_PACKET_BYTES, TransportOptions.DEFAULT));
        }
    }

    public RunResult run() {
        try {
            begin();
            int total = scenario.messages() * PACKETS_PER_MESSAGE;
            for (int burst = 0; forged < total && report.isClean(); burst++) {
                lines.get(random.nextInt(lines.size())).work();
                lines.get(random.nextInt(lines.size())).move();
                inject(random.nextInt(1, MAX_BURST + 1));
                go(random.nextLong(MAX_PAUSE_NS));
                if (burst % BURSTS_PER_LOOK == 0) {
                    look();
                }
            }
            end();
        } catch (RuntimeException | AssertionError e) {
            report.violation("%s at %s".formatted(e, e.getStackTrace().length == 0 ? "?" : e.getStackTrace()[0]));
        }
        return RunLoop.result(scenario, simulation, report, forged);
    }

    private void begin() {
        for (Service service : Service.values()) {
            lines.add(line(service, service == Service.XRC));
            if (service != Service.XRC) {
                lines.add(line(service, true));
            }
        }
        go(REST_NS);
        victims.getFirst().openAccesses();
        go(REST_NS);
        simulation.network().link(PEER, VICTIM).hook(packet -> {
            forge.learn(packet);
            return true;
        });
        simulation.network().link(VICTIM, PEER).hook(this::isHarmless);
    }

    private FuzzConnection line(Service service, boolean shares) {
        SimEndpoint peer = endpoint(PEER, service, shares);
        SimEndpoint victim = endpoint(VICTIM, service, shares);
        FuzzVictim registered = new FuzzVictim(victim, memory, forge);
        victims.add(registered);
        ConnectionSetup connection = new ConnectionSetup(
                Mtu.MTU_1024,
                TIMEOUT,
                RETRIES,
                RETRIES,
                RNR_TIMER,
                random.nextInt(1 << 24),
                random.nextInt(1 << 24),
                2,
                2,
                SimEndpoint.REMOTE_RIGHTS);
        return new FuzzConnection(peer, victim, registered, connection, random.split());
    }

    private SimEndpoint endpoint(int index, Service service, boolean shares) {
        SimHost host = hosts.get(index);
        return closing(
                new SimEndpoint(host, service, shares ? queue(host, service) : null, SIZES, SignalType.REQ_WR, false));
    }

    private @Nullable SharedQueue queue(SimHost host, Service service) {
        SrqAttributes sizes = new SrqAttributes(DEPTH, 1, 0);
        return closing(service == Service.XRC ? SharedQueue.xrc(host, sizes) : SharedQueue.basic(host, sizes));
    }

    private <T extends AutoCloseable> T closing(T object) {
        objects.push(object);
        return object;
    }

    private boolean isHarmless(MemorySegment packet) {
        if (GuardedMemory.givesAway(packet)) {
            report.violation("a packet shows memory that the peer may not see");
        }
        return true;
    }

    private void inject(int count) {
        for (int i = 0; i < count && forge.hasModels(); i++) {
            forged += simulation.network().inject(VICTIM, forge.forge()) ? 1 : 0;
        }
    }

    private void go(long ns) {
        RunEnd end = simulation.run(() -> false, ns);
        if (end == RunEnd.LIVELOCK) {
            report.violation("work without end");
        }
    }

    private void look() {
        String wrong = memory.difference();
        if (!wrong.isEmpty()) {
            report.violation("memory that no key opens: " + wrong);
        }
        hosts.forEach(FuzzWorld::drainEvents);
    }

    private static void drainEvents(SimHost host) {
        try {
            AsyncEvent event = host.context().getAsyncEvent(Duration.ZERO);
            while (event != null) {
                host.context().acknowledgeAsyncEvent(event);
                event = host.context().getAsyncEvent(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops all connections, then checks that no buffer is in use and that every packet was counted. */
    private void end() {
        lines.forEach(FuzzConnection::stop);
        go(REST_NS);
        look();
        if (simulation.buffersInUse() != 0) {
            report.violation("%d packet buffers were lost".formatted(simulation.buffersInUse()));
        }
        RxePort port = hosts.get(VICTIM).port();
        if (port.packetsOfLostMemory() != 0) {
            report.violation("%d packets ended in an exception".formatted(port.packetsOfLostMemory()));
        }
        long arrived = forged + simulation.network().link(PEER, VICTIM).stats().count(LinkEvent.ARRIVED);
        long counted = port.droppedPackets() + port.counters().receivedPackets;
        if (counted > arrived || counted < arrived - forge.misaddressed()) {
            report.violation("%d packets arrived, %d of them perhaps not for this port, but %d were counted"
                    .formatted(arrived, forge.misaddressed(), counted));
        }
    }

    @Override
    public void close() {
        hosts.forEach(FuzzWorld::drainEvents);
        objects.forEach(Closing::close);
        arena.close();
    }
}
