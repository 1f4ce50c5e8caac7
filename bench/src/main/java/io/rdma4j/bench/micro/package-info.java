// SPDX-License-Identifier: Apache-2.0
/**
 * JMH benchmarks of single parts: codecs, ICRC, rings, the engine without I/O, and a device with a connection to
 * itself.
 */
@NullMarked
package io.rdma4j.bench.micro;

import org.jspecify.annotations.NullMarked;
