/**
 * Network devices: {@link io.rdma4j.net.NetDevice} moves packet buffers out and in, over a driver behind
 * {@link io.rdma4j.net.NetDeviceOps}; {@link io.rdma4j.net.ip.IpStack} finds who a received datagram is for.
 *
 * <p>A device carries IP packets, or Ethernet frames ({@link io.rdma4j.net.LinkType}). RoCE's device and the simulation call this package. It knows nothing of RoCE:
 * what a protocol leaves to the device, it brings along as a {@link io.rdma4j.packet.PacketOffload}.
 */
@NullMarked
package io.rdma4j.net;

import org.jspecify.annotations.NullMarked;
