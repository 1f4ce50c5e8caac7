// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.fuzz.FuzzWorld;
import io.rdma4j.testing.sim.world.Simulation;

/**
 * Sends forged packets to a host whose queue pairs exchange requests with a valid peer, in all types and states. {@code
 * messages} of the {@link SimScenario} is the number of packets in hundreds. The host must throw no exception, change
 * or disclose no memory that keys do not permit, lose no buffer, and count each packet once.
 */
public final class FuzzRun extends Run {
    public FuzzRun(SimScenario scenario) {
        super(scenario);
    }

    @Override
    RunResult run(Simulation simulation) {
        try (FuzzWorld world = new FuzzWorld(simulation, scenario())) {
            prepare(simulation);
            return world.run();
        }
    }
}
