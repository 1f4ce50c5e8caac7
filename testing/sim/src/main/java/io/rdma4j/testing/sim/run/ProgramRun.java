// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.program.ProgramWorld;
import io.rdma4j.testing.sim.world.Simulation;

/**
 * Runs random programs of all operations over all services on random networks and reports violations. {@code messages}
 * of the {@link SimScenario} is the number of steps of each program. The seed determines the number and types of
 * connections, their shared queues, their protocol violations, and which connections are broken and made again.
 *
 * <p>Retry counts are unlimited, for the reason given in {@link ScenarioRun}.
 */
public final class ProgramRun extends Run {
    public ProgramRun(SimScenario scenario) {
        super(scenario);
    }

    @Override
    RunResult run(Simulation simulation) {
        try (ProgramWorld world = new ProgramWorld(simulation, scenario())) {
            prepare(simulation);
            return world.run();
        }
    }
}
