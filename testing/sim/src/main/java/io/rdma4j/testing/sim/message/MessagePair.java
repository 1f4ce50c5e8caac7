// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.world.Choices;
import io.rdma4j.testing.sim.world.ConnectionSetup;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;

/**
 * Two hosts and a reliable connection between them, built from the seed of a {@link SimScenario}. Closed before the
 * hosts.
 */
public final class MessagePair implements AutoCloseable {
    private static final int RETRY_FOREVER = 7;

    private final SimScenario scenario;
    private final Choices choices;
    private final SimEndpoint a;
    private final SimEndpoint b;

    public MessagePair(SimHost a, SimHost b, SimScenario scenario) {
        this.scenario = scenario;
        this.choices = Choices.of(scenario);
        this.a = endpoint(a);
        this.b = endpoint(b);
        this.a.connect(this.b, connection(choices.firstPsn(), choices.peerFirstPsn()));
        this.b.connect(this.a, connection(choices.peerFirstPsn(), choices.firstPsn()));
    }

    private SimEndpoint endpoint(SimHost host) {
        return new SimEndpoint(host, choices.capabilities(), choices.signalType(), choices.sharedCq());
    }

    private ConnectionSetup connection(int sqPsn, int rqPsn) {
        return new ConnectionSetup(
                choices.pathMtu(),
                choices.timeout(),
                RETRY_FOREVER,
                RETRY_FOREVER,
                choices.minRnrTimer(),
                sqPsn,
                rqPsn);
    }

    /**
     * Returns the messages of the scenario.
     *
     * @param delayNs time from now before which no message is sent
     */
    public Workload workload(RunReport report, long delayNs) {
        return new Workload(a, b, scenario, choices.pathMtu().bytes(), a.host().nowNs() + delayNs, report);
    }

    @Override
    public void close() {
        b.close();
        a.close();
    }
}
