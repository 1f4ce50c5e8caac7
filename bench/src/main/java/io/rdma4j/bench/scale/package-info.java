// SPDX-License-Identifier: Apache-2.0
/** {@code ./rdma4j bench --scale}: cost of many queue pairs in one process: memory, connection time, throughput. */
@NullMarked
package io.rdma4j.bench.scale;

import org.jspecify.annotations.NullMarked;
