// SPDX-License-Identifier: Apache-2.0
/** Random programs of all operations and services, and the reference model of their effects. */
@NullMarked
package io.rdma4j.testing.sim.program;

import org.jspecify.annotations.NullMarked;
