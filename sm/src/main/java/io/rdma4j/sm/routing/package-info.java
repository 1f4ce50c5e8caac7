// SPDX-License-Identifier: Apache-2.0
/** Computes forwarding tables and multicast trees of a topology, and looks for credit loops. */
@NullMarked
package io.rdma4j.sm.routing;

import org.jspecify.annotations.NullMarked;
