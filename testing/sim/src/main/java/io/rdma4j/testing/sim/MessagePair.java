package io.rdma4j.testing.sim;

/** Two hosts and a reliable connection between them, as the seed of a {@link Scenario} has it. Closed before the hosts. */
final class MessagePair implements AutoCloseable {
    private static final int RETRY_FOREVER = 7;

    private final Scenario scenario;
    private final Choices choices;
    private final Endpoint a;
    private final Endpoint b;

    MessagePair(SimHost a, SimHost b, Scenario scenario) {
        this.scenario = scenario;
        this.choices = Choices.of(scenario);
        this.a = endpoint(a);
        this.b = endpoint(b);
        this.a.connect(this.b, connection(choices.firstPsn(), choices.peerFirstPsn()));
        this.b.connect(this.a, connection(choices.peerFirstPsn(), choices.firstPsn()));
    }

    private Endpoint endpoint(SimHost host) {
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

    /** The messages of the scenario. */
    Workload workload(Report report) {
        return new Workload(a, b, scenario, choices.pathMtu().bytes(), report);
    }

    @Override
    public void close() {
        b.close();
        a.close();
    }
}
