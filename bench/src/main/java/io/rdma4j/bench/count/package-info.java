// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ./rdma4j bench --count}: instructions of single operations, counted step by step. A count does not depend on
 * the load of the machine. A child process runs the operations; this process traces it.
 */
@NullMarked
package io.rdma4j.bench.count;

import org.jspecify.annotations.NullMarked;
