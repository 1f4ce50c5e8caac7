// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.PathResolver;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.wire.ib.Lid;

/** Makes paths of address vectors, which a program has from path records. Any thread. */
final class LidPaths implements PathResolver {
    private final LidLink link;

    LidPaths(LidLink link) {
        this.link = link;
    }

    @Override
    public CarrierPath ofHandle(AddressVector vector, int handle) {
        return from(vector);
    }

    @Override
    public CarrierPath ofConnection(AddressVector vector, int localQpn, int remoteQpn) {
        LidPath path = from(vector);
        if (path.isMulticast()) {
            throw new RdmaException(Errno.EINVAL, "a connection to the multicast LID " + hex(path.dlid()));
        }
        return path;
    }

    private LidPath from(AddressVector vector) {
        int dlid = vector.dlid();
        GlobalRoute route = vector.route();
        if (dlid == Lid.NONE) {
            throw new RdmaException(
                    Errno.EINVAL, "an address vector without destination LID leads nowhere on InfiniBand");
        }
        int index = route == null ? 0 : route.sourceGidIndex();
        Gid source = link.gid(index);
        if (source == null) {
            throw new RdmaException(Errno.EINVAL, "GID index " + index + " is empty");
        }
        boolean isGroup = route != null && route.destination().isMulticast();
        if (Lid.isMulticast(dlid) != isGroup) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a multicast LID, 0xc000 and above, goes with a multicast GID, not LID " + hex(dlid) + " with "
                            + (route == null
                                    ? "no global route"
                                    : route.destination().toString()));
        }
        return new LidPath(dlid, vector.sourcePathBits(), vector.serviceLevel(), vector.staticRate(), source, route);
    }

    private static String hex(int lid) {
        return "0x" + Integer.toHexString(lid);
    }
}
