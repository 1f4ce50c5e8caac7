// SPDX-License-Identifier: Apache-2.0
/** Subnet management at a node: directed routes, and the agent that answers a subnet manager. */
@NullMarked
package io.rdma4j.fabric.sma;

import org.jspecify.annotations.NullMarked;
