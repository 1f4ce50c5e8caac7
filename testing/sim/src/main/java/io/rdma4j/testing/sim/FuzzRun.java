package io.rdma4j.testing.sim;

/**
 * Lets forged packets arrive at a host whose queue pairs, of all types and in all states, are at work with an honest peer: of a
 * {@link Scenario}, {@code messages} says how many, a hundred for each. Nothing must be thrown, no memory may change or be seen
 * but what keys permit, no buffer may be lost, and each packet must be counted once.
 */
public final class FuzzRun extends Run {
    public FuzzRun(Scenario scenario) {
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
