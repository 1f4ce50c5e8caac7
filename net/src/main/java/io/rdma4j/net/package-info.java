/**
 * Network devices: {@link io.rdma4j.net.NetDevice} sends and receives packet buffers through a driver,
 * {@link io.rdma4j.net.NetDeviceOps}.
 *
 * <p>A device carries IP packets or Ethernet frames ({@link io.rdma4j.net.LinkType}). RoCE devices and the simulator
 * call this package. It contains nothing of RoCE: a protocol passes its offloads as a
 * {@link io.rdma4j.packet.PacketOffload}.
 */
@NullMarked
package io.rdma4j.net;

import org.jspecify.annotations.NullMarked;
