// SPDX-License-Identifier: Apache-2.0
/**
 * Drivers that carry UDP-in-IP packets over UDP sockets of the operating system. {@link
 * io.rdma4j.udp.UdpUnderlayDevice} works on every system. {@link io.rdma4j.udp.LinuxUdpDevice} calls Linux natively,
 * and is faster. Packets between processes of one user on one machine may bypass the sockets ({@link
 * io.rdma4j.shm.ShmTransport}).
 */
@NullMarked
package io.rdma4j.udp;

import org.jspecify.annotations.NullMarked;
