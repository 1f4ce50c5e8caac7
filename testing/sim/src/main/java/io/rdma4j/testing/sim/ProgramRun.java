package io.rdma4j.testing.sim;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs random programs of all operations over all services on random networks and says what was wrong: of a {@link Scenario},
 * {@code messages} are the steps of each program, and the seed decides how many connections there are and of which kind, what
 * they share, what they do that they must not, and which of them are killed and made anew in the middle of their work.
 *
 * <p>Retry counts are endless, for the reason that {@link ScenarioRun} tells.
 */
public final class ProgramRun {
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
        try (Simulation simulation = new Simulation(scenario.seed(), scenario.link());
                ProgramWorld world = new ProgramWorld(simulation, scenario)) {
            PcapWriter writer = capture;
            if (writer != null) {
                writer.beginRun();
                simulation.network().capture(writer);
            }
            preparation.accept(simulation.network());
            return world.run();
        }
    }
}
