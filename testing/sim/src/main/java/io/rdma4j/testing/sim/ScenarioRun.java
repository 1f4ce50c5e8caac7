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
    private static final int RETRY_FOREVER = 7;

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
        try (Endpoint a = endpoint(simulation, 0);
                Endpoint b = endpoint(simulation, 1)) {
            prepare(simulation);
            a.connect(b, connection(choices.firstPsn(), choices.peerFirstPsn()));
            b.connect(a, connection(choices.peerFirstPsn(), choices.firstPsn()));
            int mtuBytes = choices.pathMtu().bytes();
            Workload workload = new Workload(a, b, scenario(), mtuBytes, report);
            return new RunLoop(simulation, workload, report, patiencePackets()).run(scenario());
        }
    }

    private Endpoint endpoint(Simulation simulation, int index) {
        int mtuBytes = choices.pathMtu().bytes() + HEADER_ALLOWANCE;
        SimHost host =
                simulation.addHost(choices.address(index), mtuBytes, scenario().transport());
        return new Endpoint(host, choices.capabilities(), choices.signalType(), choices.sharedCq());
    }

    private Connection connection(int sqPsn, int rqPsn) {
        return new Connection(
                choices.pathMtu(),
                choices.timeout(),
                RETRY_FOREVER,
                RETRY_FOREVER,
                choices.minRnrTimer(),
                sqPsn,
                rqPsn);
    }

    private long patiencePackets() {
        return FRUITLESS_BASE
                + FRUITLESS_PACKETS * (scenario().maxBytes() / choices.pathMtu().bytes());
    }
}
