// SPDX-License-Identifier: Apache-2.0
/**
 * IP over InfiniBand (RFC 4391, {@code drivers/infiniband/ulp/ipoib}). {@link io.rdma4j.ipoib.IpoibDevice} is a network
 * device; its queue pair, its peers and its multicast groups have a class each. The thread that owns the loop of the
 * network device calls everything, except as noted.
 */
@NullMarked
package io.rdma4j.ipoib;

import org.jspecify.annotations.NullMarked;
