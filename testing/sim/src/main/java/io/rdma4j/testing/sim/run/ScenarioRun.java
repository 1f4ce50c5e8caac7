// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.message.MessagePair;
import io.rdma4j.testing.sim.world.Choices;
import io.rdma4j.testing.sim.world.RunLoop;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.Simulation;

/**
 * Runs the messages of a {@link SimScenario} and reports violations.
 *
 * <p>Retry counts are unlimited, because a network with random loss may lose any number of packets in a row. With
 * limited counts giving up would be correct.
 */
public final class ScenarioRun extends Run {
    /**
     * Maximum number of packets without a message received or a send completed, for each packet of the longest message.
     */
    private static final long FRUITLESS_PACKETS = 1_000;

    private static final long FRUITLESS_BASE = 100_000;

    /** Bytes of an interface's MTU beyond the path MTU: more than the headers of IPv6, UDP, RoCE. */
    private static final int HEADER_ALLOWANCE = 128;

    private final Choices choices;

    public ScenarioRun(SimScenario scenario) {
        super(scenario);
        this.choices = Choices.of(scenario);
    }

    @Override
    RunResult run(Simulation simulation) {
        RunReport report = new RunReport(simulation.clock(), simulation.trace());
        SimHost a = host(simulation, 0);
        SimHost b = host(simulation, 1);
        prepare(simulation);
        try (MessagePair pair = new MessagePair(a, b, scenario())) {
            return new RunLoop(simulation, pair.workload(report, 0), report, mostFruitless()).run(scenario());
        }
    }

    private SimHost host(Simulation simulation, int index) {
        int mtuBytes = choices.pathMtu().bytes() + HEADER_ALLOWANCE;
        return simulation.addHost(choices.address(index), mtuBytes, scenario().transport());
    }

    private long mostFruitless() {
        return FRUITLESS_BASE
                + FRUITLESS_PACKETS * (scenario().maxBytes() / choices.pathMtu().bytes());
    }
}
