// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.FastMrOps;
import io.rdma4j.verbs.spi.FmrOps;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.MwOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.SrqEvents;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.SrqSetup;
import io.rdma4j.verbs.spi.WqOps;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Each instance is a domain of its own, compared by identity. */
final class LoopPd implements PdOps {
    private final LoopDevice device;

    LoopPd(LoopDevice device) {
        this.device = device;
    }

    @Override
    public MrOps registerMemory(MrInitAttributes attributes) {
        device.asked(attributes.access());
        return new LoopMr(device, this, attributes.pieces().getFirst(), attributes.iova());
    }

    @Override
    public MrOps registerDma(Set<AccessFlag> access) {
        device.asked(access);
        return new LoopMr(device, this, MemorySegment.NULL, 0);
    }

    @Override
    public MrOps registerDeviceMemory(DmOps memory, long offset, long length, Set<AccessFlag> access) {
        device.asked(access);
        return new LoopMr(device, this, ((LoopDm) memory).memory().asSlice(offset, length), 0);
    }

    @Override
    public QpOps createQp(QpSetup attributes, QpResources resources, QpEvents events) {
        if (attributes.type() == QpType.RAW_PACKET) {
            throw new RdmaException(Errno.EOPNOTSUPP, "no queue pairs of type " + attributes.type());
        }
        return resources.xrcDomain() instanceof LoopXrcd domain
                ? domain.targets.add(events, all -> new LoopQp(device, this, attributes, resources, all))
                : new LoopQp(device, this, attributes, resources, events);
    }

    @Override
    public SrqOps createSrq(SrqSetup attributes, XrcdOps xrcDomain, CqOps cq, SrqEvents events) {
        return new LoopSrq(device, attributes.attributes(), (LoopXrcd) xrcDomain, (LoopCq) cq, events);
    }

    @Override
    public WqOps createWorkQueue(CqOps cq, int maxWr, int maxSge) {
        device.asked();
        return new LoopWq(device, (LoopCq) cq, maxWr, maxSge);
    }

    @Override
    public AhOps createAddressHandle(AddressVector vector) {
        return new LoopAh(device, this, vector);
    }

    @Override
    public MwOps allocateWindow(WindowType type) {
        return new LoopMw(device);
    }

    @Override
    public FastMrOps allocateFastRegion(int maxPages) {
        return new LoopFastMr(device.nextKey() << 8);
    }

    @Override
    public FmrOps allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        device.asked(access);
        return new LoopFmr(device);
    }

    @Override
    public void close() {}
}
