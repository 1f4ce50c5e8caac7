package io.rdma4j.testing.sim;

import io.rdma4j.net.link.PcapWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A {@link Scenario} played once, in a simulation of its own: what is played, the subclass says. */
public abstract sealed class Run permits ScenarioRun, ProgramRun, FuzzRun {
    private final Scenario scenario;
    private @Nullable PcapWriter capture;
    private Consumer<SimNetwork> preparation = network -> {};
    private long originNs;

    Run(Scenario scenario) {
        this.scenario = scenario;
    }

    final Scenario scenario() {
        return scenario;
    }

    /** Writes every packet that is sent or forged; null for nowhere. */
    public final Run capture(@Nullable PcapWriter writer) {
        capture = writer;
        return this;
    }

    /** Changes the network before the run begins, hooks for example. */
    public final Run prepare(Consumer<SimNetwork> change) {
        preparation = change;
        return this;
    }

    /** What the clock shows in the beginning. */
    public final Run startAt(long timeNs) {
        originNs = timeNs;
        return this;
    }

    /** Runs it to its end, or to the first violation. */
    public final RunResult run() {
        try (Simulation simulation = new Simulation(scenario.seed(), scenario.link(), originNs)) {
            PcapWriter writer = capture;
            if (writer != null) {
                writer.restartTime();
                simulation.network().capture(writer);
            }
            return run(simulation);
        }
    }

    /** Plays it; {@link #prepare(Simulation)} is to be called when the hosts are there. */
    abstract RunResult run(Simulation simulation);

    final void prepare(Simulation simulation) {
        preparation.accept(simulation.network());
    }
}
