// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.shm.ShmTransport;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A driver that carries UDP-in-IP packets over UDP sockets of the operating system. One implementation is portable, a
 * faster one is for Linux.
 */
public interface UdpDriver extends NetDeviceOps {
    /** {@return the network device over its sockets} */
    NetDevice netDevice();

    /** {@return the shared-memory transport that bypasses the sockets; null if there is none} */
    @Nullable
    ShmTransport sharedMemory();

    /**
     * Follows the addresses of the interface below: binds a socket for each new one, and closes the sockets of those
     * that are gone. For the owner of the loop.
     *
     * @param addresses of the interface now, in the order of the GID table
     * @return those that have a socket; an address that cannot be bound now is left out
     */
    List<Gid> follow(List<InetAddress> addresses);

    /** {@return the number of sockets: one for each address and one for each joined group} */
    int sockets();

    /** {@return size of each receive buffer that the system granted, bytes} */
    int receiveBufferBytes();

    /** {@return size of each send buffer that the system granted, bytes} */
    int sendBufferBytes();
}
