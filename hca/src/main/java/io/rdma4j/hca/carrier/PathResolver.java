// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.carrier;

import io.rdma4j.verbs.values.AddressVector;

/** Resolves address vectors to paths through the network. Any thread. */
public interface PathResolver {
    /**
     * Returns the path of an address handle.
     *
     * @param handle selects one of several paths through the network
     * @throws io.rdma4j.base.RdmaException EINVAL for a vector that is invalid on this link; the error of the route to
     *     the destination
     */
    CarrierPath ofHandle(AddressVector vector, int handle);

    /**
     * Returns the path of a connection.
     *
     * @param localQpn with {@code remoteQpn}, selects one of several paths through the network
     * @throws io.rdma4j.base.RdmaException as {@link #ofHandle}
     */
    CarrierPath ofConnection(AddressVector vector, int localQpn, int remoteQpn);
}
