// SPDX-License-Identifier: Apache-2.0
/**
 * A subnet manager (IBA 14.4). {@link io.rdma4j.sm.SubnetManager} discovers a subnet along directed routes, assigns
 * LIDs, writes forwarding tables and makes ports active. It sends by {@link io.rdma4j.sm.SmpOutput}; the caller passes
 * datagrams and the time to it.
 */
@NullMarked
package io.rdma4j.sm;

import org.jspecify.annotations.NullMarked;
