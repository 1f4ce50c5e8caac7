package io.rdma4j.testing.sim;

import io.rdma4j.rxe.RxePort;
import io.rdma4j.testing.sim.Simulation.End;
import io.rdma4j.transport.TransportOptions;
import io.rdma4j.verbs.QpState;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link Scenario} and says what was wrong.
 *
 * <p>Retry counts are endless here: a network that loses packets by chance may lose any number of them in a row, and
 * giving up would be right then.
 */
public final class ScenarioRun {
    /** Far more than the longest timers take, whatever the network does. */
    private static final long TIME_LIMIT_NS = TimeUnit.HOURS.toNanos(10);

    /** So many packets without a single message received or send completed, for each packet of the longest one. */
    private static final long FRUITLESS_PACKETS = 1_000;

    private static final long FRUITLESS_BASE = 100_000;
    private static final int RETRY_FOREVER = 7;

    /** What interfaces carry beyond the path MTU: more than the headers of IPv6, UDP, RoCE. */
    private static final int HEADER_ALLOWANCE = 128;

    private static final TransportOptions OPTIONS =
            new TransportOptions(TransportOptions.DEFAULT.maxMessageBytes(), true);

    private final Scenario scenario;
    private final Choices choices;
    private @Nullable PcapWriter capture;
    private Consumer<SimNetwork> preparation = network -> {};
    private long originNs;

    public ScenarioRun(Scenario scenario) {
        this.scenario = scenario;
        this.choices = Choices.of(scenario);
    }

    /** Writes every packet that is sent; null for nowhere. */
    public ScenarioRun capture(@Nullable PcapWriter writer) {
        capture = writer;
        return this;
    }

    /** Changes the network before the run begins, hooks for example. */
    public ScenarioRun prepare(Consumer<SimNetwork> change) {
        preparation = change;
        return this;
    }

    /** What the clock shows in the beginning. */
    public ScenarioRun startAt(long timeNs) {
        originNs = timeNs;
        return this;
    }

    /** Runs it to its end, or to the first violation. */
    public RunResult run() {
        try (Simulation simulation = new Simulation(scenario.seed(), scenario.link(), originNs)) {
            PcapWriter writer = capture;
            if (writer != null) {
                writer.beginRun();
                simulation.network().capture(writer);
            }
            Report report = new Report(simulation.clock(), simulation.trace());
            try (Endpoint a = endpoint(simulation, 0);
                    Endpoint b = endpoint(simulation, 1)) {
                preparation.accept(simulation.network());
                a.connect(b, connection(choices.firstPsn(), choices.peerFirstPsn()));
                b.connect(a, connection(choices.peerFirstPsn(), choices.firstPsn()));
                int mtuBytes = choices.pathMtu().bytes();
                Workload workload = new Workload(a, b, scenario, mtuBytes, report);
                simulation.addActor(workload);
                work(simulation, workload, report);
                if (report.isClean()) {
                    settle(simulation, a, b, report);
                }
                return result(simulation, workload, report);
            }
        }
    }

    /** Notices when packets go to and fro and nothing comes of it. */
    private static final class Progress {
        private final Simulation simulation;
        private final Workload workload;
        private final long patiencePackets;
        private int lastSteps;
        private long sentThen;

        Progress(Simulation simulation, Workload workload, long patiencePackets) {
            this.simulation = simulation;
            this.workload = workload;
            this.patiencePackets = patiencePackets;
        }

        boolean isStuck() {
            long sent = simulation.network().sent();
            int steps = workload.steps();
            if (steps != lastSteps) {
                lastSteps = steps;
                sentThen = sent;
            }
            return sent - sentThen > patiencePackets;
        }
    }

    private Endpoint endpoint(Simulation simulation, int index) {
        int mtuBytes = choices.pathMtu().bytes() + HEADER_ALLOWANCE;
        SimHost host = simulation.addHost(choices.address(index), mtuBytes, OPTIONS);
        return new Endpoint(host, choices.capabilities(), choices.signalType(), choices.sharedCq());
    }

    private Connection connection(int sqPsn, int rqPsn) {
        return new Connection(
                choices.pathMtu(),
                choices.timeout(),
                RETRY_FOREVER,
                RETRY_FOREVER,
                choices.minRnrTimer(),
                sqPsn,
                rqPsn);
    }

    private void work(Simulation simulation, Workload workload, Report report) {
        try {
            Progress progress = new Progress(simulation, workload, patiencePackets());
            End end = simulation.run(() -> workload.isDone() || !report.isClean() || progress.isStuck(), TIME_LIMIT_NS);
            if (report.isClean() && !workload.isDone()) {
                String reason = end == End.FINISHED ? "packets went to and fro for nothing" : "it ended in " + end;
                report.violation("the messages never arrived, %s: %s".formatted(reason, workload));
            }
        } catch (RuntimeException | AssertionError e) {
            report.violation("%s at %s".formatted(e, e.getStackTrace().length == 0 ? "?" : e.getStackTrace()[0]));
        }
    }

    private long patiencePackets() {
        return FRUITLESS_BASE
                + FRUITLESS_PACKETS * (scenario.maxBytes() / choices.pathMtu().bytes());
    }

    /** Everything has been delivered: what is still under way must come to nothing, and nothing may be left behind. */
    private static void settle(Simulation simulation, Endpoint a, Endpoint b, Report report) {
        End end = simulation.run(() -> !report.isClean(), TIME_LIMIT_NS);
        if (end != End.IDLE) {
            report.violation("all messages arrived, and yet there is no end: %s".formatted(end));
            return;
        }
        for (Endpoint endpoint : new Endpoint[] {a, b}) {
            if (endpoint.qp().state() != QpState.RTS) {
                report.violation("%s is in %s".formatted(endpoint, endpoint.qp().state()));
            }
        }
        if (simulation.buffersInUse() != 0) {
            report.violation("%d packet buffers were lost".formatted(simulation.buffersInUse()));
        }
    }

    private RunResult result(Simulation simulation, Workload workload, Report report) {
        return new RunResult(
                scenario,
                workload.received(),
                sum(simulation, port -> port.counters().sentPackets),
                sum(simulation, port -> port.counters().retransmittedPackets),
                sum(simulation, port -> port.counters().receivedRnrNaks),
                sum(simulation, port -> port.counters().receivedSequenceNaks),
                sum(simulation, port -> port.inputCounters().dropped()),
                simulation.network().stats(),
                simulation.clock().elapsedNs(),
                simulation.trace().hash(),
                report.violations(),
                report.isClean() ? List.of() : simulation.trace().lines());
    }

    private static long sum(Simulation simulation, ToLongFunction<RxePort> counter) {
        return simulation.hosts().stream()
                .mapToLong(host -> counter.applyAsLong(host.port()))
                .sum();
    }
}
