// SPDX-License-Identifier: Apache-2.0
/**
 * Software devices on top of other devices: {@link io.rdma4j.links.VlanDevice}, {@link io.rdma4j.links.BridgeDevice},
 * {@link io.rdma4j.links.BondDevice} and {@link io.rdma4j.links.MacvlanDevice}. {@link io.rdma4j.links.VethDevice} is a
 * cable inside the JVM, and {@link io.rdma4j.links.VxlanDevice} carries frames over an IP network. Two more classes
 * apply to any device. {@link io.rdma4j.links.FaultyLink} simulates a faulty link with the properties of a {@link
 * io.rdma4j.links.LinkProfile}. {@link io.rdma4j.links.PcapTap} writes packets to a file.
 *
 * <p>Code that assembles a network uses this package, and so does the simulator, whose links have the same faults.
 */
@NullMarked
package io.rdma4j.links;

import org.jspecify.annotations.NullMarked;
