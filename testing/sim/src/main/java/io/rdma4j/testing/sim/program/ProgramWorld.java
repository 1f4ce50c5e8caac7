// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.world.Choices;
import io.rdma4j.testing.sim.world.Closing;
import io.rdma4j.testing.sim.world.ConnectionSetup;
import io.rdma4j.testing.sim.world.RunLoop;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Seeds;
import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.testing.sim.world.SharedQueue;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.SimNetwork;
import io.rdma4j.testing.sim.world.Simulation;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.SrqAttributes;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Hosts, connections, shared queues and memory of one run of programs, built from its seed. */
public final class ProgramWorld implements AutoCloseable {
    private static final int PURPOSE = 3;
    private static final int MAX_CONNECTIONS = 4;
    private static final int MAX_KILLS = 2;
    private static final int MAX_VIOLATIONS = 2;
    private static final int MAX_RD_ATOMIC = 6;
    private static final int MAX_SHARED_DEPTH = 20;
    private static final int SHARED_PIECES = 3;

    /** Limit for messages into any receive, so that receives stay small. */
    private static final int MAX_ANYWHERE_BYTES = 1 << 13;

    /** Average bytes per queue slot, since most steps are short. */
    private static final int TYPICAL_BYTES = 1 << 12;

    private static final int INTERFACE_MTU = SimNetwork.MAX_PACKET_BYTES;
    private static final int RETRY_FOREVER = 7;

    /** Maximum number of packets without progress for each packet of the longest step. */
    private static final long FRUITLESS_PACKETS = 200;

    private static final long FRUITLESS_BASE = 100_000;

    /** Lifetime of a packet beyond the delays of its link. */
    private static final long PACKET_LIFE_NS = 1_000_000;

    private static final List<Service> SERVICES =
            List.of(Service.RC, Service.RC, Service.RC, Service.RC, Service.XRC, Service.UC, Service.UC, Service.UD);

    private final Simulation simulation;
    private final SimScenario scenario;
    private final SplittableRandom random;
    private final RunReport report;
    private final Arena arena = Arena.ofShared();
    private final Deque<AutoCloseable> objects = new ArrayDeque<>();
    private final List<SimHost> hosts = new ArrayList<>();
    private final List<SharedWords> words = new ArrayList<>();
    private final List<MemoryRegion> foreignRegions = new ArrayList<>();
    private final List<SharedQueue> shared = new ArrayList<>();
    private final List<ReceiveSlots> sharedSlots = new ArrayList<>();
    private int mostPackets = 1;

    /** Adds the hosts to {@code simulation}. */
    public ProgramWorld(Simulation simulation, SimScenario scenario) {
        this.simulation = simulation;
        this.scenario = scenario;
        this.random = Seeds.stream(scenario.seed(), PURPOSE);
        this.report = new RunReport(simulation.clock(), simulation.trace());
        simulation.trace().hideAddresses();
        Choices common = Choices.of(scenario, TYPICAL_BYTES);
        for (int i = 0; i < 2; i++) {
            SimHost host = simulation.addHost(common.address(i), INTERFACE_MTU, scenario.transport());
            hosts.add(host);
            words.add(new SharedWords(i, arena, random));
            foreignRegions.add(foreignRegion(host));
        }
    }

    /** Makes connections and runs programs on them to their end, or to the first violation. */
    public RunResult run() {
        List<FaultyConnection> lines = lines();
        Programs programs = new Programs(lines, shared, sharedSlots, words, random.split(), report);
        long mostFruitless = FRUITLESS_BASE + FRUITLESS_PACKETS * mostPackets;
        return new RunLoop(simulation, programs, report, mostFruitless).run(scenario);
    }

    /** Registers a region in a separate protection domain, which no peer may access. */
    private MemoryRegion foreignRegion(SimHost host) {
        ProtectionDomain pd = closing(host.context().allocatePd());
        return closing(pd.registerMemory(
                arena.allocate(SimEndpoint.PAGE_BYTES, SimEndpoint.PAGE_BYTES), 1L << 48, SimEndpoint.REMOTE_RIGHTS));
    }

    private List<FaultyConnection> lines() {
        int count = random.nextInt(1, MAX_CONNECTIONS + 1);
        List<Service> services = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            services.add(SERVICES.get(random.nextInt(SERVICES.size())));
        }
        boolean shares = random.nextBoolean();
        for (SimHost host : hosts) {
            int depth = count + random.nextInt(1, MAX_SHARED_DEPTH);
            if (shares) {
                share(SharedQueue.basic(host, new SrqAttributes(depth, SHARED_PIECES, 0)));
            }
            if (services.contains(Service.XRC)) {
                // Two queues, so that the queue number in a message matters.
                SharedQueue first = SharedQueue.xrc(host, new SrqAttributes(depth, SHARED_PIECES, 0));
                share(first);
                share(first.sibling(new SrqAttributes(depth, SHARED_PIECES, 0)));
            }
        }
        List<FaultyConnection> lines = new ArrayList<>();
        for (Service service : services) {
            lines.add(new LinePlan(service).make());
        }
        return lines;
    }

    private void share(SharedQueue queue) {
        closing(queue);
        shared.add(queue);
        int depth = queue.srq().query().maxWr();
        int bytes = Service.UD.routeBytes() + anywhereBytes();
        // One for each connection that may hold one, and those in the queue.
        long size = ReceiveSlots.regionBytes(depth + MAX_CONNECTIONS, bytes);
        MemoryRegion region = closing(
                queue.protectionDomain().registerMemory(arena.allocate(size, 64), Set.of(AccessFlag.LOCAL_WRITE)));
        sharedSlots.add(new ReceiveSlots(
                queue.host(), queue.srq()::startReceive, depth, region, bytes, SHARED_PIECES, random.split(), report));
    }

    private int anywhereBytes() {
        return Math.min(scenario.maxBytes(), MAX_ANYWHERE_BYTES);
    }

    private <T extends AutoCloseable> T closing(T object) {
        objects.push(object);
        return object;
    }

    @Override
    public void close() {
        objects.forEach(Closing::close);
        arena.close();
    }

    private long packetLifeNs() {
        LinkProfile link = scenario.link();
        long queueNs = link.queuePackets() * link.serialisationNs(INTERFACE_MTU);
        return PACKET_LIFE_NS + link.latencyNs() + link.reorderNs() + queueNs;
    }

    /** Parameters of a connection. */
    private final class LinePlan {
        private final Service service;
        private final Choices choices = Choices.of(scenario.withSeed(random.nextLong()), TYPICAL_BYTES);
        private final boolean usesShared;
        private final Set<AccessFlag> rights = new HashSet<>(SimEndpoint.REMOTE_RIGHTS);
        private final Set<StepKind> served;
        private int servedRdAtomic = random.nextInt(1, MAX_RD_ATOMIC + 1);

        LinePlan(Service service) {
            this.service = service;
            usesShared = service == Service.XRC || random.nextInt(3) == 0;
            served = EnumSet.copyOf(StepKind.of(service));
            if (service.isReliable() && random.nextInt(4) == 0) {
                restrict();
            }
        }

        /** Removes rights or limits of the peer's queue pair. */
        private void restrict() {
            switch (random.nextInt(4)) {
                case 0 -> {
                    rights.remove(AccessFlag.REMOTE_READ);
                    served.removeIf(StepKind::isRead);
                }
                case 1 -> {
                    rights.remove(AccessFlag.REMOTE_WRITE);
                    served.removeIf(kind -> kind.isWrite() || kind == StepKind.ATOMIC_WRITE);
                }
                case 2 -> {
                    rights.remove(AccessFlag.REMOTE_ATOMIC);
                    served.removeIf(StepKind::isAtomic);
                }
                default -> {
                    servedRdAtomic = 0;
                    served.removeIf(StepKind::hasOwnAnswer);
                }
            }
        }

        FaultyConnection make() {
            SimEndpoint a = endpoint(0);
            SimEndpoint b = endpoint(1);
            DirectionModel there = direction(a, b);
            DirectionModel back = direction(b, a);
            int kills = random.nextBoolean() ? 0 : random.nextInt(MAX_KILLS + 1);
            return new FaultyConnection(connection(), there, back, random.nextLong(), packetLifeNs(), kills, report);
        }

        private SimEndpoint endpoint(int host) {
            SharedQueue queue = usesShared ? sharedOf(hosts.get(host)) : null;
            return closing(new SimEndpoint(
                    hosts.get(host), service, queue, choices.capabilities(), choices.signalType(), choices.sharedCq()));
        }

        private @Nullable SharedQueue sharedOf(SimHost host) {
            boolean isXrc = service == Service.XRC;
            List<SharedQueue> fitting = shared.stream()
                    .filter(queue -> queue.host() == host && (queue.xrcDomain() != null) == isXrc)
                    .toList();
            return fitting.isEmpty() ? null : fitting.get(random.nextInt(fitting.size()));
        }

        private DirectionModel direction(SimEndpoint from, SimEndpoint to) {
            int host = to.host().index();
            MemoryRegion wordsThere = to.register(words.get(host).memory(), SimEndpoint.REMOTE_RIGHTS);
            boolean ownReceives = service == Service.RC && to.shared() == null;
            WorkloadProgram program = ProgramAuthor.write(random.nextLong(), scenario, limits(from, to, ownReceives));
            mostPackets = Math.max(mostPackets, program.mostPackets());
            StepPoster.Forbidden none =
                    new StepPoster.Forbidden(foreignRegions.get(host), to.register(SimEndpoint.PAGE_BYTES));
            DirectionModel.Parts parts = new DirectionModel.Parts(
                    program,
                    from,
                    to,
                    words.get(host),
                    wordsThere,
                    none,
                    ownReceives ? null : slots(to, program),
                    PoolTarget.Disorder.of(scenario.link()));
            return DirectionModel.of(parts, random.nextLong(), report);
        }

        private ReceiveSlots slots(SimEndpoint to, WorkloadProgram program) {
            SharedQueue queue = to.shared();
            if (queue != null) {
                return sharedSlots.get(shared.indexOf(queue));
            }
            int depth = to.capabilities().maxReceiveWr();
            int bytes = service.routeBytes() + program.longestSend();
            return new ReceiveSlots(
                    to.host(),
                    to.qp()::startReceive,
                    depth,
                    to.register(ReceiveSlots.regionBytes(depth, bytes)),
                    bytes,
                    to.capabilities().maxReceiveSge(),
                    random.split(),
                    report);
        }

        private ProgramLimits limits(SimEndpoint from, SimEndpoint to, boolean ownReceives) {
            int mtuBytes = choices.pathMtu().bytes();
            int maxBytes = ownReceives ? scenario.maxBytes() : anywhereBytes();
            return new ProgramLimits(
                    service,
                    served,
                    mtuBytes,
                    from.capabilities(),
                    to.capabilities(),
                    service == Service.UD ? Math.min(maxBytes, portMtuBytes(to)) : maxBytes,
                    ownReceives,
                    accesses(from, to),
                    violations());
        }

        private static int portMtuBytes(SimEndpoint at) {
            return at.host().context().queryPort(1).activeMtu().bytes();
        }

        /** Number of protocol violations; a restricted connection has some. */
        private int violations() {
            boolean tries = !served.containsAll(StepKind.of(service)) || random.nextInt(3) == 0;
            return service.isReliable() && tries ? random.nextInt(1, MAX_VIOLATIONS + 1) : 0;
        }

        /** Chooses the keyed accesses. Their key requests need free slots in the send queue. */
        private List<KeyedAccess.Kind> accesses(SimEndpoint from, SimEndpoint to) {
            List<KeyedAccess.Kind> kinds = new ArrayList<>(List.of(KeyedAccess.Kind.REGION));
            boolean room =
                    from.capabilities().maxSendWr() > 1 && to.capabilities().maxSendWr() > 1;
            for (KeyedAccess.Kind kind : KeyedAccess.Kind.values()) {
                if (service == Service.RC && room && kind != KeyedAccess.Kind.REGION && random.nextInt(3) == 0) {
                    kinds.add(kind);
                }
            }
            return kinds;
        }

        private ConnectionSetup connection() {
            return new ConnectionSetup(
                    choices.pathMtu(),
                    choices.timeout(),
                    RETRY_FOREVER,
                    RETRY_FOREVER,
                    choices.minRnrTimer(),
                    choices.firstPsn(),
                    choices.peerFirstPsn(),
                    servedRdAtomic == 0 ? 1 : random.nextInt(1, servedRdAtomic + 1),
                    servedRdAtomic,
                    rights);
        }
    }
}
