package io.rdma4j.testing.sim;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets forged packets arrive at a host whose queue pairs, of all types and in all states, are at work with an honest peer: of a
 * {@link Scenario}, {@code messages} says how many, a hundred for each. Nothing must be thrown, no memory may change or be seen
 * but what keys permit, no buffer may be lost, and each packet must be counted once.
 */
public final class FuzzRun {
    private final Scenario scenario;
    private @Nullable PcapWriter capture;
    private Consumer<SimNetwork> preparation = network -> {};

    public FuzzRun(Scenario scenario) {
        this.scenario = scenario;
    }

    /** Writes every packet that is sent or forged; null for nowhere. */
    public FuzzRun capture(@Nullable PcapWriter writer) {
        capture = writer;
        return this;
    }

    /** Changes the network before the run begins. */
    public FuzzRun prepare(Consumer<SimNetwork> change) {
        preparation = change;
        return this;
    }

    /** Runs it to its end, or to the first violation. */
    public RunResult run() {
        try (Simulation simulation = new Simulation(scenario.seed(), scenario.link());
                FuzzWorld world = new FuzzWorld(simulation, scenario)) {
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
