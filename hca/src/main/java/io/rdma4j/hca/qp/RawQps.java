// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpType;
import java.util.Set;

/** Creates queue pairs that send and receive the frames of a link, which only its carrier knows. */
public interface RawQps {
    /** Returns the raw types that are possible on the link. */
    Set<QpType> types();

    /**
     * @param setup of a raw type
     * @throws io.rdma4j.base.RdmaException EOPNOTSUPP if the link has no such frames; EPERM if raw queue pairs are not
     *     permitted
     */
    void check(QpSetup setup);

    /** Creates a queue pair that {@link #check} has accepted. For the owner of the port loop. */
    LoopQp make(int qpn, QpRequest request, QpServices services);
}
