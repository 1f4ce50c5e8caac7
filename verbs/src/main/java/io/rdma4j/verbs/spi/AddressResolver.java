// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Gid;

/**
 * The routes and neighbours of a port whose network the operating system does not know: an {@linkplain
 * ContextOps#extension extension} of its contexts. Does for rdma_cm what the kernel does in {@code addr.c}. Any thread.
 */
public interface AddressResolver {
    /** {@return index of the network interface of the port, from 1} */
    int interfaceIndex();

    /**
     * {@return true if the route to an address leaves the host through the interface of the port}
     *
     * @param destination address of another port
     */
    boolean hasRoute(Gid destination);

    /**
     * Requests the link address of the next hop to an address, unless it is known. Does not wait.
     *
     * @param destination IP address or group
     * @return true if packets to the address can be sent now
     * @throws io.rdma4j.base.RdmaException the errno of a route that rejects the address, such as EHOSTUNREACH
     */
    boolean resolve(Gid destination);
}
