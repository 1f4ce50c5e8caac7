package io.rdma4j.udp;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.shm.ShmTransport;
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

    /** {@return the number of sockets: one for each address and one for each joined group} */
    int sockets();

    /** {@return size of each receive buffer that the system granted, bytes} */
    int receiveBufferBytes();

    /** {@return size of each send buffer that the system granted, bytes} */
    int sendBufferBytes();
}
