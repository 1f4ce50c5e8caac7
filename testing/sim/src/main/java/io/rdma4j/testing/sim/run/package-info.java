// SPDX-License-Identifier: Apache-2.0
/** Runs of a scenario: messages, programs, forged packets, or the machines of a topology. */
@NullMarked
package io.rdma4j.testing.sim.run;

import org.jspecify.annotations.NullMarked;
