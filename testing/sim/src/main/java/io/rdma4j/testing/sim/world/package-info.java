// SPDX-License-Identifier: Apache-2.0
/** Hosts with the real device on a seeded network in virtual time, and the tools of applications and checkers. */
@NullMarked
package io.rdma4j.testing.sim.world;

import org.jspecify.annotations.NullMarked;
