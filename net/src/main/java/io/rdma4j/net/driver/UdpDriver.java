package io.rdma4j.net.driver;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.shm.SharedMemory;
import org.jspecify.annotations.Nullable;

/** A driver that carries UDP-in-IP packets over UDP sockets of the operating system; there are a portable one and a fast one for Linux. */
public interface UdpDriver extends NetDeviceOps {
    /** {@return the interface over its sockets} */
    NetDevice netDevice();

    /** {@return the way past the sockets; null if there is none} */
    @Nullable
    SharedMemory sharedMemory();

    /** {@return how many sockets there are: one an address, one a group} */
    int sockets();

    /** {@return bytes that the system granted for each receive buffer} */
    int receiveBufferBytes();

    /** {@return bytes that the system granted for each send buffer} */
    int sendBufferBytes();
}
