// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.NumberTable;
import io.rdma4j.hca.qp.QpDomain;
import io.rdma4j.hca.qp.QpRequest;
import io.rdma4j.hca.qp.WorkQueues;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.SharedReceiveState;
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
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A protection domain of the device; keys and queue pairs compare it by identity. */
final class HcaPd implements PdOps, QpDomain {
    private final DeviceObjects objects;
    private final DeviceKeys keys;
    private final DmaSpace dmaSpace;
    private final int number;

    /** @param dmaSpace of the context of the domain */
    HcaPd(DeviceObjects objects, DmaSpace dmaSpace) {
        this.objects = objects;
        this.keys = objects.keys();
        this.dmaSpace = dmaSpace;
        this.number = keys.nextDomain();
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public DmaSpace dmaSpace() {
        return dmaSpace;
    }

    @Override
    public MrOps registerMemory(MrInitAttributes attributes) {
        MemoryAccess.prepare(attributes);
        int rights = AccessFlag.mask(attributes.access());
        RegionKey key = keys.table().register(this, attributes.pieces(), attributes.iova(), rights);
        keys.publish(key, this);
        return new HcaMr(keys, key, attributes);
    }

    @Override
    public MrOps registerDma(Set<AccessFlag> access) {
        int rights = AccessFlag.mask(access);
        return new HcaMr(keys, keys.lock().exclusively(() -> keys.table().registerDma(this, dmaSpace, rights)));
    }

    @Override
    public MrOps registerDeviceMemory(DmOps memory, long offset, long length, Set<AccessFlag> access) {
        MemorySegment part = ((HcaDm) memory).part(offset, length);
        MemoryAccess.check(List.of(part), access);
        return new HcaMr(keys, keys.table().register(this, part, 0, AccessFlag.mask(access)));
    }

    @Override
    public MwOps allocateWindow(WindowType windowType) {
        return new HcaMw(keys, keys.table().allocateWindow(this, windowType == WindowType.TYPE_2));
    }

    @Override
    public FastMrOps allocateFastRegion(int maxPages) {
        return new HcaFastMr(keys, keys.table().allocateFast(this));
    }

    @Override
    public FmrOps allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        return new HcaFmr(keys, keys.table().allocateFmr(this), AccessFlag.mask(access));
    }

    @Override
    public QpOps createQp(QpSetup attributes, QpResources resources, QpEvents events) {
        objects.queuePairs().check(attributes);
        return resources.xrcDomain() instanceof HcaXrcd domain
                ? domain.targets().add(events, all -> createQp(attributes, resources, domain, all))
                : createQp(attributes, resources, null, events);
    }

    private QpOps createQp(QpSetup attributes, QpResources resources, @Nullable HcaXrcd xrcDomain, QpEvents events) {
        SharedReceiveState shared = resources.srq() instanceof HcaSrq srq ? srq.receives() : null;
        QpQueues queues = WorkQueues.make(attributes, ring(resources.sendCq()), ring(resources.receiveCq()), shared);
        return objects.queuePairs().create(new QpRequest(attributes, this, queues, xrcDomain, events));
    }

    private static @Nullable CompletionRing ring(@Nullable CqOps cq) {
        return cq instanceof HcaCq own ? own.ring() : null;
    }

    @Override
    public SrqOps createSrq(SrqSetup attributes, @Nullable XrcdOps xrcDomain, @Nullable CqOps cq, SrqEvents events) {
        CompletionRing completions = ring(cq);
        NumberTable<HcaSrq> table = objects.sharedReceiveQueues();
        return table.add(number -> new HcaSrq(number, table, this, attributes, xrcDomain, completions, events));
    }

    @Override
    public AhOps createAddressHandle(AddressVector vector) {
        NumberTable<HcaAh> table = objects.addressHandles();
        return table.add(handle -> new HcaAh(handle, table, objects.paths(), this, vector));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // one object per protection domain
    public @Nullable DatagramPath path(int addressHandle) {
        HcaAh handle = objects.addressHandles().find(addressHandle);
        return handle != null && handle.domain() == this ? handle.path() : null;
    }

    @Override
    public void close() {
        // Nothing to release.
    }
}
