// SPDX-License-Identifier: Apache-2.0
/** Performance management at a node: the agent behind queue pair 1 that shows the counters of the ports. */
@NullMarked
package io.rdma4j.fabric.pma;

import org.jspecify.annotations.NullMarked;
