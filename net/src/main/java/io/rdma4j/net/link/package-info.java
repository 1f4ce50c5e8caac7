/**
 * Devices made in software on top of others, {@link io.rdma4j.net.link.VlanDevice}, {@link io.rdma4j.net.link.BridgeDevice}, {@link
 * io.rdma4j.net.link.BondDevice} and {@link io.rdma4j.net.link.MacvlanDevice}, and what may be put on any device: {@link
 * io.rdma4j.net.link.FaultyLink} makes its link a bad one, as a {@link io.rdma4j.net.link.LinkProfile} has it; {@link
 * io.rdma4j.net.link.PcapTap} writes its packets to a file.
 *
 * <p>Whoever assembles a network calls this package, and the simulation, whose links have the same faults.
 */
@NullMarked
package io.rdma4j.net.link;

import org.jspecify.annotations.NullMarked;
