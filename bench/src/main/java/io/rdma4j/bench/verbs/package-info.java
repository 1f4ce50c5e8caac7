// SPDX-License-Identifier: Apache-2.0
/** Verbs objects of the benchmarks: a device connected to itself, and connected queue pairs on it. */
@NullMarked
package io.rdma4j.bench.verbs;

import org.jspecify.annotations.NullMarked;
