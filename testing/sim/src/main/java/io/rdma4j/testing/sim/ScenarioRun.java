package io.rdma4j.testing.sim;

/**
 * Runs a {@link Scenario} and says what was wrong.
 *
 * <p>Retry counts are endless here: a network that loses packets by chance may lose any number of them in a row, and
 * giving up would be right then.
 */
public final class ScenarioRun extends Run {
    /** So many packets without a single message received or send completed, for each packet of the longest one. */
    private static final long FRUITLESS_PACKETS = 1_000;

    private static final long FRUITLESS_BASE = 100_000;

    /** What interfaces carry beyond the path MTU: more than the headers of IPv6, UDP, RoCE. */
    private static final int HEADER_ALLOWANCE = 128;

    private final Choices choices;

    public ScenarioRun(Scenario scenario) {
        super(scenario);
        this.choices = Choices.of(scenario);
    }

    @Override
    RunResult run(Simulation simulation) {
        Report report = new Report(simulation.clock(), simulation.trace());
        SimHost a = host(simulation, 0);
        SimHost b = host(simulation, 1);
        prepare(simulation);
        try (MessagePair pair = new MessagePair(a, b, scenario())) {
            return new RunLoop(simulation, pair.workload(report), report, patiencePackets()).run(scenario());
        }
    }

    private SimHost host(Simulation simulation, int index) {
        int mtuBytes = choices.pathMtu().bytes() + HEADER_ALLOWANCE;
        return simulation.addHost(choices.address(index), mtuBytes, scenario().transport());
    }

    private long patiencePackets() {
        return FRUITLESS_BASE
                + FRUITLESS_PACKETS * (scenario().maxBytes() / choices.pathMtu().bytes());
    }
}
