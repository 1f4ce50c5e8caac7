// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.carrier;

import io.rdma4j.base.Gid;
import io.rdma4j.transport.port.DatagramPath;

/** A path to another port, with the contents of its headers prepared; immutable. Only its carrier interprets it. */
public interface CarrierPath extends DatagramPath {
    /** Returns the GID of this port. */
    Gid source();

    /** Returns the GID of the other port, or of a multicast group. */
    Gid destination();

    /** Returns the bytes of the headers in front of a BTH. */
    int headerBytes();
}
