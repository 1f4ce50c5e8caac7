/** Forged packets against queue pairs that exchange requests with an honest peer. */
@NullMarked
package io.rdma4j.testing.sim.fuzz;

import org.jspecify.annotations.NullMarked;
