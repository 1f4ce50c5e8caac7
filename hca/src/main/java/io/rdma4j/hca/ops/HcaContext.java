// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.DeviceIdentity;
import io.rdma4j.hca.HwCounter;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.GidType;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.spi.AddressResolver;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.DmaOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import io.rdma4j.verbs.wr.CompletionField;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One opening of a device; all openings share its port. */
public final class HcaContext implements ContextOps {
    private final DeviceIdentity device;

    /** The last answer; another one is made only if something has changed. */
    private volatile @Nullable DeviceAttributes attributes;

    private final DevicePort port;
    private final DeviceObjects objects;
    private final ContextEvents events;
    private final Runnable onClose;

    /** The DMA mappings of this context; other contexts cannot use them. */
    private final DmaSpace dmaSpace = new DmaSpace();

    /** @param onClose closes this opening of the device */
    public HcaContext(DeviceIdentity device, DevicePort port, ContextEvents events, Runnable onClose) {
        this.device = device;
        this.port = port;
        this.objects = port.objects();
        this.events = events;
        this.onClose = onClose;
        port.events().add(events);
    }

    @Override
    public String carrier() {
        return port.link().carrier();
    }

    @Override
    public <T> @Nullable T extension(Class<T> type) {
        AddressResolver resolver = port.link().addressResolver();
        return type.isInstance(resolver) ? type.cast(resolver) : null;
    }

    /**
     * Returns one vector per processor, as rdma_rxe does. The choice has no effect: the owner of the port's loop
     * notifies.
     */
    @Override
    public int completionVectors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Takes the permission to reorder, and does not use it: {@code RXE_ACCESS_SUPPORTED_MR} has the bits too. */
    @Override
    public boolean understandsOptionalAccess() {
        return true;
    }

    @Override
    public DeviceAttributes queryDevice() {
        int pkeys = port.tables().pkeys().size();
        DeviceAttributes known = attributes;
        if (known == null
                || known.systemImageGuid() != device.systemImageGuid()
                || known.limit(DeviceLimit.MAX_PKEYS) != pkeys) {
            known = port.limits().attributes(device, pkeys);
            attributes = known;
        }
        return known;
    }

    @Override
    public PortAttributes queryPort(int number) {
        return port.management().attributes();
    }

    @Override
    public void modifyPort(int number, PortModification change) {
        port.management().modify(change);
    }

    @Override
    public long measureLatency(int number, Gid peer, Duration timeout) {
        return port.link().measureLatencyNs(peer, timeout);
    }

    @Override
    public @Nullable PortNotice pollNotice(int number) {
        return port.management().pollNotice();
    }

    @Override
    public PortInfo queryPortInfo(int number) {
        return port.management().info();
    }

    @Override
    public void setPortInfo(int number, PortInfo info) {
        if (port.link().managedState() != null) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    "a subnet manager sets PortInfo of " + port.link().name() + " by a datagram, not a program");
        }
        port.management().set(info);
    }

    @Override
    public Map<String, Long> queryHwCounters(int number) {
        return HwCounter.read(port.counters());
    }

    @Override
    public @Nullable GidEntry queryGid(int number, int index) {
        Gid gid = port.tables().gids().at(index);
        return gid == null
                ? null
                : new GidEntry(gid, index, number, gidType(), port.link().name());
    }

    private GidType gidType() {
        return port.link().layer() == LinkLayer.ETHERNET ? GidType.ROCE_V2 : GidType.IB;
    }

    @Override
    public int queryPkey(int number, int index) {
        return port.tables().pkeys().at(index);
    }

    @Override
    public PdOps allocatePd() {
        return new HcaPd(objects, dmaSpace);
    }

    @Override
    public Set<CompletionField> completionFields() {
        return HcaCq.FIELDS;
    }

    @Override
    public Set<CqCreateFlag> completionQueueFlags() {
        return HcaCq.FLAGS;
    }

    @Override
    public CqOps createCq(CqSetup attributes, CqEvents cqEvents) {
        return new HcaCq(objects.loop(), attributes, cqEvents);
    }

    @Override
    public CqOps createCqInBuffer(CqSetup attributes, CqEvents cqEvents) {
        return new HcaCq(objects.loop(), attributes, cqEvents);
    }

    @Override
    public int localDmaLkey() {
        DeviceKeys keys = objects.keys();
        return keys.lock().exclusively(() -> keys.table().reserved(dmaSpace).key());
    }

    @Override
    public XrcdOps openXrcDomain(XrcdInitAttributes attributes) {
        return objects.xrcDomains().open(attributes);
    }

    @Override
    public DmaOps mapDma(MemorySegment segment, DmaDirection direction, Set<DmaAttribute> attributes) {
        return new HcaDma(objects.keys(), dmaSpace, segment, direction, attributes);
    }

    @Override
    public MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return port.link().allocateBuffer(length, alignment, arena);
    }

    @Override
    public DmOps allocateDeviceMemory(long length, long alignment) {
        return objects.deviceMemory().allocate(length, alignment);
    }

    @Override
    public PollRegistration addPollSource(PollSource source) {
        return objects.loop().add(source);
    }

    @Override
    public void beforeBlocking() {
        objects.loop().beforeBlocking();
    }

    @Override
    public void afterBlocking() {
        objects.loop().afterBlocking();
    }

    @Override
    public boolean sleep(long timeoutNs, BooleanSupplier over) {
        return objects.loop().sleep(timeoutNs, over);
    }

    @Override
    public void wakeSleeper() {
        objects.loop().wakeSleeper();
    }

    @Override
    public void close() {
        port.events().remove(events);
        onClose.run();
    }
}
