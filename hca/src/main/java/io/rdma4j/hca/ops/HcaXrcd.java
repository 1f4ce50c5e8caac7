// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.NumberTable;
import io.rdma4j.hca.qp.XrcReceives;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.XrcTargets;
import io.rdma4j.verbs.spi.XrcdOps;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An XRC domain of the device, compared by identity. Corresponds to {@code rxe_xrcd}. Contexts that share a domain use
 * the same object; {@link XrcDomains} counts how often it is open.
 */
final class HcaXrcd implements XrcdOps, XrcReceives {
    private final NumberTable<HcaSrq> queues;
    private final Consumer<HcaXrcd> onClose;
    private final XrcTargets targets = new XrcTargets();

    /** @param queues all shared receive queues of the device */
    HcaXrcd(NumberTable<HcaSrq> queues, Consumer<HcaXrcd> onClose) {
        this.queues = queues;
        this.onClose = onClose;
    }

    XrcTargets targets() {
        return targets;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // one object per XRC domain
    public @Nullable SharedReceiveState find(int number) {
        HcaSrq srq = queues.find(number);
        return srq != null && srq.domain() == this ? srq.receives() : null;
    }

    @Override
    public QpOps openQp(int qpn, QpEvents events) {
        return targets.open(qpn, events);
    }

    @Override
    public void close() {
        onClose.accept(this);
    }
}
