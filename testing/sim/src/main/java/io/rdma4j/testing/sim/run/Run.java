// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import io.rdma4j.links.PcapWriter;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.world.SimNetwork;
import io.rdma4j.testing.sim.world.Simulation;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs a {@link SimScenario} once, in a separate simulation; the subclass defines the applications. */
public abstract class Run {
    private final SimScenario scenario;
    private @Nullable PcapWriter capture;
    private Consumer<SimNetwork> preparation = network -> {};
    private long originNs;

    Run(SimScenario scenario) {
        this.scenario = scenario;
    }

    final SimScenario scenario() {
        return scenario;
    }

    /** Writes every packet that is sent or forged to {@code writer}; null: to none. */
    public final Run capture(@Nullable PcapWriter writer) {
        capture = writer;
        return this;
    }

    /** Changes the network before the run begins, for example adds hooks. */
    public final Run prepare(Consumer<SimNetwork> change) {
        preparation = change;
        return this;
    }

    /** Sets the initial value of the clock. */
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

    /** Runs the scenario; calls {@link #prepare(Simulation)} after it has added the hosts. */
    abstract RunResult run(Simulation simulation);

    final void prepare(Simulation simulation) {
        preparation.accept(simulation.network());
    }
}
