package io.rdma4j.rxe;

import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.XrcTargets;
import io.rdma4j.verbs.spi.XrcdOps;

/**
 * An XRC domain of the device, compared by identity. Corresponds to {@code rxe_xrcd}. Contexts that share a domain use
 * the same object; {@link XrcDomains} counts how often it is open.
 */
final class RxeXrcd implements XrcdOps {
    private final XrcDomains domains;
    private final XrcTargets targets = new XrcTargets();

    RxeXrcd(XrcDomains domains) {
        this.domains = domains;
    }

    XrcTargets targets() {
        return targets;
    }

    @Override
    public QpOps openQp(int qpn, QpEvents events) {
        return targets.open(qpn, events);
    }

    @Override
    public void close() {
        domains.close(this);
    }
}
