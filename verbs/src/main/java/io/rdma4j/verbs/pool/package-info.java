// SPDX-License-Identifier: Apache-2.0
/**
 * Pools of registered memory: {@link io.rdma4j.verbs.pool.MemoryPool} is for applications that need short-lived buffers
 * without a registration for each.
 */
@NullMarked
package io.rdma4j.verbs.pool;

import org.jspecify.annotations.NullMarked;
