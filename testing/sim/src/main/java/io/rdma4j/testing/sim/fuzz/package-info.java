// SPDX-License-Identifier: Apache-2.0
/** Forged packets against queue pairs that exchange requests with a peer that keeps to the protocol. */
@NullMarked
package io.rdma4j.testing.sim.fuzz;

import org.jspecify.annotations.NullMarked;
