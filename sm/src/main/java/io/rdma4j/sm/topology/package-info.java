// SPDX-License-Identifier: Apache-2.0
/** The nodes, ports and cables that a sweep has found, with their LIDs and P_Keys. */
@NullMarked
package io.rdma4j.sm.topology;

import org.jspecify.annotations.NullMarked;
