package io.rdma4j.net.driver;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;

/** A driver that carries UDP-in-IP packets over UDP sockets of the operating system; there are a portable one and a fast one for Linux. */
public interface UdpDriver extends NetDeviceOps {
    /** The interface over its sockets. */
    NetDevice netDevice();

    /** How many sockets there are: one an address, one a group. */
    int sockets();

    /** Bytes that the system granted for each receive buffer. */
    int receiveBufferBytes();

    /** Bytes that the system granted for each send buffer. */
    int sendBufferBytes();
}
