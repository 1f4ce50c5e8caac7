package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Whether a path begins at a port and a GID that are there. */
final class PathCheck {
    private PathCheck() {}

    /** @throws RdmaException EINVAL for no such port, an empty slot of the GID table, or no global route on Ethernet */
    static void check(Context context, AddressVector vector) {
        PortAttributes port = context.queryPort(vector.port());
        GlobalRoute route = vector.route();
        if (route == null) {
            if (port.linkLayer() == LinkLayer.ETHERNET) {
                throw new RdmaException(
                        Errno.EINVAL, "a path over Ethernet needs a global route: use AddressVector.roce");
            }
            return;
        }
        if (context.ports().gid(vector.port(), route.sourceGidIndex()) == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "sgid_index " + route.sourceGidIndex() + " of port " + vector.port() + " is an empty slot");
        }
    }
}
