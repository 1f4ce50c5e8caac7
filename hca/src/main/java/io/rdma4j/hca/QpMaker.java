// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpSetup;

/** Creates the queue pairs of a port. Any thread. */
public interface QpMaker {
    /** @throws io.rdma4j.base.RdmaException if the port has no such queue pairs, or is out of service */
    void check(QpSetup attributes);

    /**
     * Creates a queue pair whose attributes {@link #check} has accepted.
     *
     * @throws io.rdma4j.base.RdmaException ENOMEM if all numbers are in use, EBUSY for a second queue pair of the
     *     general services
     */
    QpOps create(QpRequest request);
}
