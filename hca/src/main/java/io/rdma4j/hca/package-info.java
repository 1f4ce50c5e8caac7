// SPDX-License-Identifier: Apache-2.0
/**
 * The state of a device and its port that does not depend on the link: tables of addresses and partitions, port states,
 * management, limits, counters. {@link io.rdma4j.hca.PortLink} is the link as management sees it, and
 * {@link io.rdma4j.hca.carrier.Carrier} carries the packets. {@link io.rdma4j.hca.qp} is the data path,
 * {@link io.rdma4j.hca.ops} has the objects of contexts, and {@link io.rdma4j.hca.port.HcaPort} assembles everything.
 */
@NullMarked
package io.rdma4j.hca;

import org.jspecify.annotations.NullMarked;
