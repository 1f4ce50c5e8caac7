// SPDX-License-Identifier: Apache-2.0
/**
 * Network devices: {@link io.rdma4j.net.NetDevice} sends and receives packet buffers through a driver,
 * {@link io.rdma4j.net.NetDeviceOps}.
 *
 * <p>A device carries IP packets or Ethernet frames ({@link io.rdma4j.net.device.LinkType}). RoCE devices and the
 * simulator call this package. It contains nothing of RoCE: a protocol passes its offloads as a
 * {@link io.rdma4j.packet.PacketOffload}.
 *
 * <p>A device assembles its parts, most of which do not know it. They share {@link io.rdma4j.net.device.DeviceCore} and
 * call the driver through small interfaces, such as {@link io.rdma4j.net.transmit.TransmitDriver}.
 */
@NullMarked
package io.rdma4j.net;

import org.jspecify.annotations.NullMarked;
