package io.rdma4j.testing.sim;

/**
 * Runs random programs of all operations over all services on random networks and says what was wrong: of a {@link Scenario},
 * {@code messages} are the steps of each program, and the seed decides how many connections there are and of which kind, what
 * they share, what they do that they must not, and which of them are killed and made anew in the middle of their work.
 *
 * <p>Retry counts are endless, for the reason that {@link ScenarioRun} tells.
 */
public final class ProgramRun extends Run {
    public ProgramRun(Scenario scenario) {
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
