// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.XrcTargets;
import io.rdma4j.verbs.spi.XrcdOps;

/** Each instance is a domain of its own, compared by identity. */
final class LoopXrcd implements XrcdOps {
    final XrcTargets targets = new XrcTargets();

    @Override
    public QpOps openQp(int qpn, QpEvents events) {
        return targets.open(qpn, events);
    }

    @Override
    public void close() {}
}
