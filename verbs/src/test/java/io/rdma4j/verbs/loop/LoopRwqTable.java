// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.RwqTableOps;
import io.rdma4j.verbs.spi.WqOps;
import java.util.List;

/** Uses the sender's QPN as the hash. */
record LoopRwqTable(List<WqOps> queues) implements RwqTableOps {
    LoopWq queue(LoopQp sender) {
        return (LoopWq) queues.get(sender.qpn() % queues.size());
    }

    @Override
    public void close() {}
}
