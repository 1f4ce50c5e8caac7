// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;

/** Checks that the port and the source GID of a path exist. */
public final class PathCheck {
    private PathCheck() {}

    /**
     * @throws RdmaException EINVAL if the port does not exist, if the slot of the GID table is empty, or if a path over
     *     Ethernet has no global route
     */
    public static void check(PortTables ports, AddressVector vector) {
        PortAttributes port = ports.attributes(vector.port());
        GlobalRoute route = vector.route();
        if (route == null) {
            if (port.linkLayer() == LinkLayer.ETHERNET) {
                throw new RdmaException(
                        Errno.EINVAL, "a path over Ethernet needs a global route: use AddressVector.roce");
            }
            return;
        }
        if (ports.gid(vector.port(), route.sourceGidIndex()) == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "sgid_index " + route.sourceGidIndex() + " of port " + vector.port() + " is an empty slot");
        }
    }
}
