// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ./rdma4j bench --peers}: runs the same work with rdma4j, with a limit program, and with other libraries. The
 * programs of a round run one after the other, so that they have the same machine state; then the next round starts.
 */
@NullMarked
package io.rdma4j.bench.rivals;

import org.jspecify.annotations.NullMarked;
