// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.connect;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.world.Activities;
import io.rdma4j.testing.sim.world.Choices;
import io.rdma4j.testing.sim.world.RunLoop;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Seeds;
import io.rdma4j.testing.sim.world.SimNetwork;
import io.rdma4j.testing.sim.world.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Hosts that connect to each other by rdma_cm, built from the seed of a {@link SimScenario}. */
public final class ConnectWorld implements AutoCloseable, ConnectHost.Others {
    private static final int PURPOSE = 5;
    private static final int MAX_HOSTS = 4;

    /** Maximum number of packets without an action of a program. */
    private static final long FRUITLESS_PACKETS = 100_000;

    private final Simulation simulation;
    private final SimScenario scenario;
    private final RunReport report;
    private final List<ConnectHost> hosts = new ArrayList<>();
    private final List<ConnectAttempt> attempts = new ArrayList<>();

    /** Adds two to four hosts to {@code simulation}. */
    public ConnectWorld(Simulation simulation, SimScenario scenario) {
        this.simulation = simulation;
        this.scenario = scenario;
        this.report = new RunReport(simulation.clock(), simulation.trace());
        SplittableRandom random = Seeds.stream(scenario.seed(), PURPOSE);
        Choices choices = Choices.of(scenario);
        int count = random.nextInt(2, MAX_HOSTS + 1);
        int crashing = random.nextInt(2) == 0 ? random.nextInt(count) : -1;
        for (int i = 0; i < count; i++) {
            hosts.add(new ConnectHost(
                    simulation.addHost(choices.address(i), SimNetwork.MAX_PACKET_BYTES, scenario.transport()),
                    scenario.messages(),
                    i == crashing ? 1 : 0,
                    this,
                    random.split(),
                    report));
        }
    }

    /** Makes all connections, to their end or to the first violation. */
    public RunResult run() {
        RunResult result = new RunLoop(simulation, new Activities(hosts), report, FRUITLESS_PACKETS).run(scenario);
        if (report.isClean() && !attempts.stream().allMatch(ConnectAttempt::isEnded)) {
            report.violation("connections have no end: "
                    + attempts.stream().filter(attempt -> !attempt.isEnded()).toList());
            return RunLoop.result(scenario, simulation, report, attempts.size());
        }
        return RunLoop.result(scenario, simulation, report, result.violations().isEmpty() ? attempts.size() : 0);
    }

    @Override
    public ConnectHost any(ConnectHost but, SplittableRandom random) {
        int index = random.nextInt(hosts.size() - 1);
        return hosts.get(index < but.host().index() ? index : index + 1);
    }

    @Override
    public ConnectAttempt add(ConnectHost client, ConnectHost server) {
        ConnectAttempt attempt = new ConnectAttempt(
                attempts.size(), client.host().index(), server.host().index(), report);
        attempts.add(attempt);
        return attempt;
    }

    @Override
    public ConnectAttempt attempt(int number) {
        return attempts.get(number);
    }

    @Override
    public void cut(ConnectHost host, boolean isCut) {
        LinkProfile profile = isCut ? scenario.link().withLoss(1) : scenario.link();
        for (ConnectHost other : hosts) {
            simulation.network().link(host.host().index(), other.host().index()).profile(profile);
            simulation.network().link(other.host().index(), host.host().index()).profile(profile);
        }
        if (isCut) {
            // What is open at its peers may end in any way.
            for (ConnectAttempt attempt : attempts) {
                attempt.crash();
                hosts.forEach(each -> each.limit(attempt, simulation.clock().nanoTime()));
            }
            hosts.forEach(each -> simulation.wake(each.host()));
        }
    }

    @Override
    public void close() {
        hosts.forEach(ConnectHost::close);
    }
}
