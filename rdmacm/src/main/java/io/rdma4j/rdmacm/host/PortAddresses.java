// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Gid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The IP addresses of a port, and the routes from them. With the lock of rdma_cm. */
interface PortAddresses {
    List<Gid> list();

    boolean has(Gid address);

    /** Index of the network interface; 0 if it is not known. */
    int interfaceIndex();

    /** Returns false if the routes of the host lead from an own address to another one through another interface. */
    boolean mayReach(Gid own, Gid destination);

    /** Returns true if the route from an own address back to a peer leaves the host through the interface. */
    boolean hasRoute(Gid own, Gid peer);

    /**
     * Returns true if packets from an own address to another one can be sent now; otherwise the link address is
     * requested.
     */
    boolean resolve(Gid own, Gid destination);

    /** The GID of the port that packets to an address go to; null if it is not known. */
    @Nullable
    Gid gidOf(Gid own, Gid destination);

    /** The P_Key of packets from an own address. */
    int pkey(Gid own);
}
