// SPDX-License-Identifier: Apache-2.0
/**
 * The verbs API: devices, protection domains, memory, queues and requests. What refers to no object is in {@link
 * io.rdma4j.verbs.values}, {@link io.rdma4j.verbs.wr} and {@link io.rdma4j.verbs.device}. A program on the module path
 * imports all of it with {@code import module io.rdma4j.verbs}.
 *
 * <p>The classes of this package check arguments, count users of objects and enforce the order of destruction, for
 * every provider in the same way. Providers implement {@link io.rdma4j.verbs.spi}. The package contains no packet or
 * network code.
 */
@NullMarked
package io.rdma4j.verbs;

import org.jspecify.annotations.NullMarked;
