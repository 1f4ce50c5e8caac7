// SPDX-License-Identifier: Apache-2.0
/**
 * Simulates a network in the JVM, in virtual time, from a seed. Hosts use the real device and the real verbs; links
 * delay, lose, duplicate, reorder and corrupt packets.
 *
 * <p>{@link io.rdma4j.testing.sim.world.Simulation} holds time, hosts and {@link
 * io.rdma4j.testing.sim.world.SimNetwork}; tests add their own applications. {@link
 * io.rdma4j.testing.sim.run.ScenarioRun} is such an application. It generates messages in both directions of a reliable
 * connection from a {@link io.rdma4j.testing.sim.SimScenario} and checks their results. The simulator must not use the
 * system clock, threads or unseeded randomness, because every run must be repeatable.
 */
@NullMarked
package io.rdma4j.testing.sim;

import org.jspecify.annotations.NullMarked;
