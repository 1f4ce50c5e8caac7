// SPDX-License-Identifier: Apache-2.0
/** Processes that benchmarks start. */
@NullMarked
package io.rdma4j.bench.process;

import org.jspecify.annotations.NullMarked;
