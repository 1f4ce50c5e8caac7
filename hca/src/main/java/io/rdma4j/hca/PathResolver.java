// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.verbs.values.AddressVector;

/** Resolves address vectors to paths through the network. Any thread. */
@FunctionalInterface
public interface PathResolver {
    /**
     * Returns the path of an address handle.
     *
     * @param handle selects one of several paths through the network
     * @throws io.rdma4j.base.RdmaException EINVAL for a vector that is invalid on this link; the error of the route to
     *     the destination
     */
    DatagramPath ofHandle(AddressVector vector, int handle);
}
