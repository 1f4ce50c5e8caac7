// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.transport.memory.DmaUser;
import io.rdma4j.transport.port.DatagramPath;
import org.jspecify.annotations.Nullable;

/** The protection domain of queue pairs; keys and queue pairs compare it by identity. */
public interface QpDomain extends DmaUser {
    /** Returns the number of the domain, by which peers on this machine name it; not 0. */
    int number();

    /** Returns the path of an address handle of this domain, or null; for the owner of the port loop. */
    @Nullable
    DatagramPath path(int addressHandle);
}
