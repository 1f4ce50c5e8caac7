// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import io.rdma4j.verbs.device.NodeType;
import java.net.InetSocketAddress;
import java.util.List;

/** A device of this process, as other processes read it in the {@link RunDirectory}. */
public interface ServedDevice {
    /** {@return the name} */
    String name();

    /** {@return the EUI-64} */
    long guid();

    /** {@return the kind of node} */
    NodeType nodeType();

    /**
     * {@return the number of the driver that other processes need, see {@link io.rdma4j.verbs.spi.DeviceOps#driverId}}
     */
    int driverId();

    /** {@return the UDP addresses in the order of the GID table; empty if there are none} */
    List<InetSocketAddress> endpoints();
}
