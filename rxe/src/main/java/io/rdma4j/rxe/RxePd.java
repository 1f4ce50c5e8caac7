package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.RegionKey;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;

/** A protection domain of the device: keys and queue pairs compare it by identity. */
final class RxePd implements PdOps {
    private final RxePort port;

    RxePd(RxePort port) {
        this.port = port;
    }

    @Override
    public MrOps registerMemory(MemorySegment segment, long iova, Set<AccessFlag> access) {
        RegionKey key = port.context().keys().register(this, segment, iova, AccessFlag.mask(access));
        return new RxeMr(port, key);
    }

    @Override
    public QpOps createQp(QpInitAttributes attributes, QpResources resources, QpEvents events) {
        if (attributes.type() != QpType.RC) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, "queue pairs of type " + attributes.type() + " are not there yet: use RC");
        }
        int inline = attributes.capabilities().maxInlineData();
        if (inline > RxeLimits.MAX_INLINE_DATA) {
            throw new RdmaException(
                    Errno.EINVAL, "max_inline_data " + inline + ": the limit is " + RxeLimits.MAX_INLINE_DATA);
        }
        RxeCq sendCq = (RxeCq) Objects.requireNonNull(resources.sendCq());
        RxeCq receiveCq = (RxeCq) Objects.requireNonNull(resources.receiveCq());
        return port.loop()
                .exclusively(() -> port.queuePairs()
                        .add(qpn -> new RxeQp(qpn, port, this, attributes, sendCq, receiveCq, events)));
    }

    @Override
    public void close() {
        // Nothing is held: a domain is its identity.
    }
}
