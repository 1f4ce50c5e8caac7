/**
 * Software devices on top of other devices: {@link io.rdma4j.net.link.VlanDevice}, {@link
 * io.rdma4j.net.link.BridgeDevice}, {@link io.rdma4j.net.link.BondDevice} and {@link io.rdma4j.net.link.MacvlanDevice}.
 * {@link io.rdma4j.net.link.VethDevice} is a cable inside the JVM, and {@link io.rdma4j.net.link.VxlanDevice} carries
 * frames over an IP network. Two more classes apply to any device. {@link io.rdma4j.net.link.FaultyLink} simulates a faulty link with the
 * properties of a {@link io.rdma4j.net.link.LinkProfile}. {@link io.rdma4j.net.link.PcapTap} writes packets to a file.
 *
 * <p>Code that assembles a network uses this package, and so does the simulator, whose links have the same faults.
 */
@NullMarked
package io.rdma4j.net.link;

import org.jspecify.annotations.NullMarked;
