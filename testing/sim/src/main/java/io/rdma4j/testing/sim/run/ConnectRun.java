// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.connect.ConnectWorld;
import io.rdma4j.testing.sim.world.Simulation;

/**
 * Makes random connections by rdma_cm between two to four hosts, and reports violations. {@code messages} of the {@link
 * SimScenario} is the number of connections that each host requests. Servers accept, reject, or close requests, at once
 * or late; clients give up; a host may crash and return. Both ends must agree, and no id may be left.
 */
public final class ConnectRun extends Run {
    public ConnectRun(SimScenario scenario) {
        super(scenario);
    }

    @Override
    RunResult run(Simulation simulation) {
        try (ConnectWorld world = new ConnectWorld(simulation, scenario())) {
            prepare(simulation);
            return world.run();
        }
    }
}
