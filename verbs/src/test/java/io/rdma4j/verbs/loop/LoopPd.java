package io.rdma4j.verbs.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A colour is an object identity. */
final class LoopPd implements PdOps {
    private final LoopDevice device;

    LoopPd(LoopDevice device) {
        this.device = device;
    }

    @Override
    public MrOps registerMemory(MemorySegment segment, long iova, Set<AccessFlag> access) {
        return new LoopMr(device, this, segment, iova);
    }

    @Override
    public QpOps createQp(QpInitAttributes attributes, CqOps sendCq, CqOps receiveCq, QpEvents events) {
        if (attributes.type() != QpType.RC) {
            throw new RdmaException(Errno.EOPNOTSUPP, "only RC queue pairs, not " + attributes.type());
        }
        return new LoopQp(device, this, attributes, (LoopCq) sendCq, (LoopCq) receiveCq, events);
    }

    @Override
    public void close() {}
}
