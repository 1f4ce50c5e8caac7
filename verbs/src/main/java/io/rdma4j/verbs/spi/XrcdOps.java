// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * The provider's part of an opening of an XRC domain. Target queue pairs of the domain deliver to all its shared
 * receive queues, independent of the opening that created them. Any thread.
 */
public interface XrcdOps extends AutoCloseable {
    /**
     * Creates another handle of a target queue pair of the domain. The queue pair exists until all handles are closed,
     * including that of {@link PdOps#createQp}. Corresponds to {@code ibv_open_qp}.
     *
     * @param qpn its number
     * @param events callbacks for events of the queue pair, which are delivered to all handles
     * @return the handle
     * @throws RdmaException ENOENT if the domain has no such target
     */
    default QpOps openQp(int qpn, QpEvents events) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not open queue pairs by their numbers");
    }

    /**
     * Closes this opening. Corresponds to {@code ibv_close_xrcd}; the core has closed its queue pairs and shared
     * receive queues.
     */
    @Override
    void close();
}
