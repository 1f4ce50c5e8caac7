// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.transport.Engine;
import io.rdma4j.transport.QpEngine;

/** The link between two connected queue pairs of one port: the posting thread executes its messages at the peer. */
final class PairLink extends QpLink {
    private final QpEngine first;
    private final QpEngine second;

    PairLink(QpLinks links, QpEngine first, QpEngine second) {
        super(links);
        this.first = first;
        this.second = second;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // one object per queue pair
    boolean deliver(Engine from, boolean inLoop) {
        QpEngine sender = from == first ? first : second;
        return sender.deliver(sender == first ? second : first, delivery(), inLoop);
    }

    @Override
    void raiseEvents() {
        first.raiseEvents();
        second.raiseEvents();
    }
}
