// SPDX-License-Identifier: Apache-2.0
/** Random connections by rdma_cm, and the model of what must become of each. */
@NullMarked
package io.rdma4j.testing.sim.connect;

import org.jspecify.annotations.NullMarked;
