package io.rdma4j.rxe;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DmaAttribute;
import io.rdma4j.verbs.DmaDirection;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortInfo;
import io.rdma4j.verbs.PortModification;
import io.rdma4j.verbs.PortNotice;
import io.rdma4j.verbs.XrcdInitAttributes;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.DmaOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import io.rdma4j.verbs.spi.XrcdOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One opening of a device; all openings share its port. */
final class RxeContext implements ContextOps {
    private final RxeDevice device;
    private final RxePort port;
    private final ContextEvents events;

    /** The DMA mappings of this context; other contexts cannot use them. */
    private final DmaSpace dmaSpace = new DmaSpace();

    RxeContext(RxeDevice device, RxePort port, ContextEvents events) {
        this.device = device;
        this.port = port;
        this.events = events;
        port.events().add(events);
    }

    @Override
    public String carrier() {
        return port.carrier();
    }

    /**
     * Returns one vector per processor, as rdma_rxe does. The choice has no effect: the owner of the port's loop
     * notifies.
     */
    @Override
    public int completionVectors() {
        return Runtime.getRuntime().availableProcessors();
    }

    @Override
    public DeviceAttributes queryDevice() {
        return port.limits().attributes(device, port.pkeys().size());
    }

    @Override
    public PortAttributes queryPort(int number) {
        PortManagement management = port.management();
        LinkRate rate = LinkRate.of(port.device());
        return PortAttributes.ethernet(
                        true,
                        Mtu.MTU_4096,
                        port.activeMtu(),
                        RxeLimits.GID_TABLE_LENGTH,
                        port.pkeys().size(),
                        RxeLimits.MAX_MESSAGE_BYTES)
                .toBuilder()
                .info(management.info())
                .capabilities(management.capabilities())
                .violations(management.badPkeys(), management.qkeyViolations())
                .maxVlNumber(PortAttributes.vlCode(port.lanes()))
                .link(rate.width(), rate.speed())
                .build();
    }

    @Override
    public void modifyPort(int number, PortModification change) {
        port.management().modify(change);
    }

    @Override
    public long measureLatency(int number, Gid peer, Duration timeout) {
        if (port.options().progress() != ProgressMode.AUTOMATIC) {
            throw new RdmaException(Errno.EOPNOTSUPP, "a port that is driven by hand cannot wait for an answer");
        }
        // The conversion saturates at Long.MAX_VALUE.
        long endNs = Deadline.after(port.options().clock().nanoTime(), TimeUnit.NANOSECONDS.convert(timeout));
        try (LatencyProbe probe = new LatencyProbe(port)) {
            probe.ask(peer);
            long measured = probe.answerNs(peer);
            while (measured == LatencyProbe.NO_ANSWER) {
                if (Deadline.isDue(endNs, port.options().clock().nanoTime())) {
                    throw new RdmaException(Errno.ETIMEDOUT, "no echo from " + peer + " within " + timeout);
                }
                port.netLoop().poll();
                measured = probe.answerNs(peer);
            }
            return measured;
        }
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
        port.management().set(info);
    }

    @Override
    public Map<String, Long> queryHwCounters(int number) {
        return HwCounter.read(port);
    }

    @Override
    public @Nullable GidEntry queryGid(int number, int index) {
        Gid gid = port.gids().at(index);
        return gid == null
                ? null
                : new GidEntry(
                        gid, index, number, GidType.ROCE_V2, port.device().name());
    }

    @Override
    public int queryPkey(int number, int index) {
        return port.pkeys().at(index);
    }

    @Override
    public PdOps allocatePd() {
        return new RxePd(port, dmaSpace);
    }

    @Override
    public Set<CompletionField> completionFields() {
        return RxeCq.FIELDS;
    }

    @Override
    public Set<CqCreateFlag> completionQueueFlags() {
        return RxeCq.FLAGS;
    }

    @Override
    public CqOps createCq(CqInitAttributes attributes, CqEvents cqEvents) {
        return new RxeCq(port, attributes, cqEvents);
    }

    @Override
    public CqOps createCqInBuffer(CqInitAttributes attributes, CqEvents cqEvents) {
        return new RxeCq(port, attributes, cqEvents);
    }

    @Override
    public int localDmaLkey() {
        return port.netLoop()
                .exclusively(() -> port.context().keys().reserved(dmaSpace).key());
    }

    @Override
    public XrcdOps openXrcDomain(XrcdInitAttributes attributes) {
        return port.xrcDomains().open(attributes);
    }

    @Override
    public DmaOps mapDma(MemorySegment segment, DmaDirection direction, Set<DmaAttribute> attributes) {
        return new RxeDma(port, dmaSpace, segment, direction, attributes);
    }

    @Override
    public MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return port.device().driver().ops().allocateBuffer(length, alignment, arena);
    }

    @Override
    public DmOps allocateDeviceMemory(long length, long alignment) {
        return port.deviceMemory().allocate(length, alignment);
    }

    @Override
    public PollRegistration addPollSource(PollSource source) {
        return port.loop().add(source);
    }

    @Override
    public void beforeBlocking() {
        port.netLoop().sleep().beforeBlocking();
    }

    @Override
    public void afterBlocking() {
        port.netLoop().sleep().afterBlocking();
    }

    @Override
    public boolean sleep(long timeoutNs, BooleanSupplier over) {
        return port.netLoop().sleep().await(timeoutNs, over);
    }

    @Override
    public void wakeSleeper() {
        port.netLoop().sleep().wake();
    }

    @Override
    public void close() {
        port.events().remove(events);
        device.release();
    }
}
