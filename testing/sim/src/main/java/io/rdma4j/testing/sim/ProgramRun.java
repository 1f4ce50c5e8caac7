package io.rdma4j.testing.sim;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpCapabilities;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs random programs of all operations on random networks and says what was wrong: of a {@link Scenario}, {@code
 * messages} are the steps of each program, and the seed decides how many connections there are, and which of them are
 * killed and made anew in the middle of their work.
 *
 * <p>Retry counts are endless, for the reason that {@link ScenarioRun} tells.
 */
public final class ProgramRun {
    private static final int PURPOSE = 3;
    private static final int MAX_CONNECTIONS = 3;
    private static final int MAX_KILLS = 2;
    private static final int MAX_RD_ATOMIC = 6;

    /** What a place in a queue costs on average: steps are short. */
    private static final int TYPICAL_BYTES = 1 << 12;

    private static final int INTERFACE_MTU = SimNetwork.MAX_PACKET_BYTES;
    private static final int RETRY_FOREVER = 7;

    /** So many packets for nothing for each packet of the longest step. */
    private static final long FRUITLESS_PACKETS = 200;

    private static final long FRUITLESS_BASE = 100_000;

    /** What a packet's way takes beyond what its link says. */
    private static final long PACKET_LIFE_NS = 1_000_000;

    private final Scenario scenario;
    private @Nullable PcapWriter capture;
    private Consumer<SimNetwork> preparation = network -> {};

    public ProgramRun(Scenario scenario) {
        this.scenario = scenario;
    }

    /** Writes every packet that is sent; null for nowhere. */
    public ProgramRun capture(@Nullable PcapWriter writer) {
        capture = writer;
        return this;
    }

    /** Changes the network before the run begins, hooks for example. */
    public ProgramRun prepare(Consumer<SimNetwork> change) {
        preparation = change;
        return this;
    }

    /** Runs it to its end, or to the first violation. */
    public RunResult run() {
        List<Endpoint> endpoints = new ArrayList<>();
        try (Simulation simulation = new Simulation(scenario.seed(), scenario.link());
                Arena arena = Arena.ofShared()) {
            PcapWriter writer = capture;
            if (writer != null) {
                writer.beginRun();
                simulation.network().capture(writer);
            }
            try {
                return new Setup(simulation, arena, endpoints).run();
            } finally {
                endpoints.forEach(Endpoint::close);
            }
        }
    }

    /** What one run is made of. */
    private final class Setup {
        private final Simulation simulation;
        private final List<Endpoint> endpoints;
        private final Report report;
        private final SplittableRandom random = Seeds.stream(scenario.seed(), PURPOSE);
        private final List<SimHost> hosts = new ArrayList<>();
        private final List<SharedWords> words = new ArrayList<>();
        private int mostPackets = 1;

        Setup(Simulation simulation, Arena arena, List<Endpoint> endpoints) {
            this.simulation = simulation;
            this.endpoints = endpoints;
            this.report = new Report(simulation.clock(), simulation.trace());
            Choices common = Choices.of(scenario, TYPICAL_BYTES);
            for (int i = 0; i < 2; i++) {
                hosts.add(simulation.addHost(common.address(i), INTERFACE_MTU, scenario.transport()));
                words.add(new SharedWords(i, arena, random));
            }
            preparation.accept(simulation.network());
        }

        RunResult run() {
            int connections = random.nextInt(1, MAX_CONNECTIONS + 1);
            List<Line> lines = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                lines.add(line(Choices.of(scenario.withSeed(random.nextLong()), TYPICAL_BYTES)));
            }
            Programs programs = new Programs(lines, words, random.split(), report);
            long patience = FRUITLESS_BASE + FRUITLESS_PACKETS * mostPackets;
            return new RunLoop(simulation, programs, report, patience).run(scenario);
        }

        private Line line(Choices choices) {
            Endpoint a = endpoint(0, choices);
            Endpoint b = endpoint(1, choices);
            MemoryRegion wordsOfA = a.register(words.get(0).memory(), ProgramMemory.REMOTE_RIGHTS);
            MemoryRegion wordsOfB = b.register(words.get(1).memory(), ProgramMemory.REMOTE_RIGHTS);
            Lane there = lane(a, b, 1, wordsOfB, choices);
            Lane back = lane(b, a, 0, wordsOfA, choices);
            int kills = random.nextBoolean() ? 0 : random.nextInt(MAX_KILLS + 1);
            return new Line(a, b, connection(choices), there, back, random.nextLong(), packetLifeNs(), kills, report);
        }

        private Endpoint endpoint(int host, Choices choices) {
            Endpoint endpoint =
                    new Endpoint(hosts.get(host), choices.capabilities(), choices.signalType(), choices.sharedCq());
            endpoints.add(endpoint);
            return endpoint;
        }

        /** @param at number of the target's host */
        private Lane lane(Endpoint from, Endpoint to, int at, MemoryRegion region, Choices choices) {
            int mtuBytes = choices.pathMtu().bytes();
            QpCapabilities receiver = to.capabilities();
            Program program = new Program(random.nextLong(), scenario, mtuBytes, from.capabilities(), receiver);
            mostPackets = Math.max(mostPackets, program.mostPackets(mtuBytes));
            return new Lane(program, from, to, words.get(at), region, mtuBytes, random.nextLong(), report);
        }

        private Connection connection(Choices choices) {
            return new Connection(
                    choices.pathMtu(),
                    choices.timeout(),
                    RETRY_FOREVER,
                    RETRY_FOREVER,
                    choices.minRnrTimer(),
                    choices.firstPsn(),
                    choices.peerFirstPsn(),
                    random.nextInt(1, MAX_RD_ATOMIC + 1),
                    ProgramMemory.REMOTE_RIGHTS);
        }

        private long packetLifeNs() {
            LinkProfile link = scenario.link();
            long queueNs = link.queuePackets() * link.serialisationNs(INTERFACE_MTU);
            return PACKET_LIFE_NS + link.latencyNs() + link.reorderNs() + queueNs;
        }
    }
}
