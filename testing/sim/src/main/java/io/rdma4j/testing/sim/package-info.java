/**
 * A network in the JVM, in virtual time, from a seed: hosts with the real device and the real verbs on links that delay,
 * lose, double, reorder and spoil packets.
 *
 * <p>{@link io.rdma4j.testing.sim.Simulation} is time, hosts and {@link io.rdma4j.testing.sim.SimNetwork}; tests put their own
 * applications on it. {@link io.rdma4j.testing.sim.ScenarioRun} is one such application, made by chance from a
 * {@link io.rdma4j.testing.sim.Scenario}: messages both ways over a reliable connection, and checkers that know what may
 * come of it. What it must not use: the clock, threads, or randomness without a seed; a run that cannot be repeated is
 * worth nothing.
 */
@NullMarked
package io.rdma4j.testing.sim;

import org.jspecify.annotations.NullMarked;
