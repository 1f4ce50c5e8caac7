/**
 * Registered memory in stock: {@link io.rdma4j.verbs.pool.MemoryPool} for programs that need buffers that come and go, and do not
 * want to register each.
 */
@NullMarked
package io.rdma4j.verbs.pool;

import org.jspecify.annotations.NullMarked;
