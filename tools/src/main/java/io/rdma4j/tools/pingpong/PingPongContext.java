// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.Closers;
import io.rdma4j.tools.peer.GidSlots;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.ReceiveBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of a ping-pong, from the device to the queue pairs in RTS. Corresponds to {@code struct
 * pingpong_context}.
 */
final class PingPongContext implements AutoCloseable {
    private final PingPongProgram program;
    private final PingPongOptions options;
    private final Closers closers;
    private final Context context;
    private final @Nullable CompletionChannel channel;
    private final PingPongBuffer buffer;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final @Nullable SharedReceiveQueue srq;
    private final List<PingPongEnd> ends = new ArrayList<>();

    /** Opens the device and creates the queue pairs, in INIT. */
    static PingPongContext open(Device device, PingPongProgram program, PingPongOptions options) throws ToolFailure {
        Closers closers = new Closers();
        try {
            return new PingPongContext(device, program, options, closers);
        } catch (ToolFailure | RuntimeException e) {
            closers.closeAfter(e);
            throw e;
        }
    }

    private PingPongContext(Device device, PingPongProgram program, PingPongOptions options, Closers closers)
            throws ToolFailure {
        this.program = program;
        this.options = options;
        this.closers = closers;
        context = Attempt.to("Couldn't get context for " + device.name(), device::open);
        closers.push("Couldn't release context", context::close);
        program.check(options, context);
        channel = options.events() ? openChannel() : null;
        ProtectionDomain pd = Attempt.to("Couldn't allocate PD", context::allocatePd);
        closers.push("Couldn't deallocate PD", pd::close);
        Arena arena = Arena.ofShared();
        closers.push("Couldn't free work buf.", arena::close);
        buffer = allocate(arena);
        region = options.deviceMemory()
                ? registerDeviceMemory(pd)
                : Attempt.to(
                        "Couldn't register MR", () -> pd.registerMemory(buffer.memory(), rights(options.onDemand())));
        closers.push("Couldn't deregister MR", region::close);
        cq = Attempt.to("Couldn't create CQ", () -> context.createCq(completionQueue()));
        closers.push("Couldn't destroy CQ", cq::close);
        srq = program.sharesReceives() ? createSrq(pd) : null;
        for (int i = 0; i < options.queuePairs(); i++) {
            ends.add(createEnd(pd, program.queuePair(i)));
        }
    }

    private CqInitAttributes completionQueue() {
        CqInitAttributes attributes = CqInitAttributes.of(options.rxDepth() + options.queuePairs(), channel, 0);
        return options.timestamps() ? attributes.withTimestamps() : attributes;
    }

    private CompletionChannel openChannel() throws ToolFailure {
        CompletionChannel opened = Attempt.to("Couldn't create completion channel", context::createCompletionChannel);
        closers.push("Couldn't destroy completion channel", opened::close);
        return opened;
    }

    private PingPongBuffer allocate(Arena arena) throws ToolFailure {
        int atOnce = program.sharesReceives() ? options.rxDepth() : 1;
        try {
            return new PingPongBuffer(
                    (bytes, alignment) -> context.allocateBuffer(bytes, alignment, arena),
                    options.sizeBytes(),
                    program.headroomBytes(),
                    program.fill(),
                    options.check() ? atOnce : 0);
        } catch (OutOfMemoryError e) {
            throw new ToolFailure("Couldn't allocate work buf.", e);
        }
    }

    /** Access rights of the message memory. */
    static Set<AccessFlag> rights(boolean onDemand) {
        return onDemand ? Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND) : Set.of(AccessFlag.LOCAL_WRITE);
    }

    private MemoryRegion registerDeviceMemory(ProtectionDomain pd) throws ToolFailure {
        long bytes = buffer.memory().byteSize();
        DeviceMemory memory = Attempt.to("Dev mem allocation failed", () -> context.allocateDeviceMemory(bytes, 0));
        closers.push("Couldn't free DM", memory::close);
        buffer.moveTo(memory);
        Set<AccessFlag> rights = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED);
        return Attempt.to("Couldn't register MR", () -> pd.registerDeviceMemory(memory, 0, bytes, rights));
    }

    /** Address of a part of the buffer in work requests. */
    long address(MemorySegment part) {
        return region.iova() + buffer.offset(part);
    }

    private SharedReceiveQueue createSrq(ProtectionDomain pd) throws ToolFailure {
        SharedReceiveQueue created =
                Attempt.to("Couldn't create SRQ", () -> pd.createSrq(SrqInitAttributes.basic(options.rxDepth(), 1)));
        closers.push("Couldn't destroy SRQ", created::close);
        return created;
    }

    private PingPongEnd createEnd(ProtectionDomain pd, String name) throws ToolFailure {
        QpInitAttributes attributes = QpInitAttributes.builder(cq)
                .type(program.type())
                .srq(srq)
                .capabilities(capabilities(options))
                .build();
        QueuePair qp = Attempt.to("Couldn't create " + name, () -> pd.createQp(attributes));
        MemorySegment message = buffer.outgoing();
        boolean inline =
                !options.deviceMemory() && qp.initAttributes().capabilities().maxInlineData() >= message.byteSize();
        PingPongEnd end = new PingPongEnd(name, qp, message, address(message), region.lkey(), inline);
        closers.push("Couldn't destroy QP", end::close);
        end.init(program, options);
        return end;
    }

    /** One outstanding send, and one SGE in each request. */
    static QpCapabilities capabilities(PingPongOptions options) {
        return QpCapabilities.of(1, options.rxDepth());
    }

    String deviceName() {
        return context.device().name();
    }

    LinkLayer linkLayer() {
        return context.linkLayer(options.port());
    }

    /** Returns the addresses for the peer, one for each queue pair. */
    List<PingPongAddress> localAddresses() throws ToolFailure {
        PortAttributes port = Attempt.to("Couldn't get port info", () -> context.queryPort(options.port()));
        if (port.linkLayer() != LinkLayer.ETHERNET && port.lid() == 0) {
            throw new ToolFailure("Couldn't get local LID");
        }
        int index = gidIndex();
        Gid gid = index < 0
                ? Gid.ZERO
                : Attempt.to(program.noSuchGid(index), () -> context.queryGid(options.port(), index));
        if (gid.isZero() && port.linkLayer() == LinkLayer.ETHERNET) {
            throw new ToolFailure(
                    program.noSuchGid(index),
                    new RdmaException(
                            Errno.ENODATA,
                            "the slot is empty; " + context.device() + " has " + GidSlots.text(context)));
        }
        return ends.stream()
                .map(end -> new PingPongAddress(port.lid(), end.qp().qpn(), end.psn(), gid))
                .toList();
    }

    /**
     * The slot of the GID table; negative for none. Without {@code -g} the original uses no global route and fails on
     * Ethernet, which requires addresses; slot 0 is used here.
     */
    private int gidIndex() {
        boolean pick = options.gidIndex() < 0 && linkLayer() == LinkLayer.ETHERNET;
        return pick ? 0 : options.gidIndex();
    }

    /**
     * Moves the queue pairs to RTS.
     *
     * @param remote addresses of the peers of all queue pairs; may contain more
     */
    void connect(List<PingPongAddress> remote) throws ToolFailure {
        for (int i = 0; i < ends.size(); i++) {
            if (remote.get(i).gid().isZero() && linkLayer() == LinkLayer.ETHERNET) {
                throw new ToolFailure(
                        "Failed to modify QP to RTR",
                        new RdmaException(
                                Errno.EINVAL,
                                "the peer has told no GID, and a path over Ethernet needs a global route: give the"
                                        + " peer -g"));
            }
            ends.get(i).connect(program, options, path(remote.get(i)), remote.get(i));
        }
    }

    private AddressVector path(PingPongAddress remote) {
        GlobalRoute route = remote.gid().interfaceId() == 0
                ? null
                : new GlobalRoute(remote.gid(), 0, Math.max(gidIndex(), 0), program.hopLimit(), 0);
        return new AddressVector(route, remote.lid(), options.serviceLevel(), 0, Rate.PORT_CURRENT, options.port());
    }

    /** Starts a batch of receives. */
    ReceiveBatch startReceive() {
        return srq == null ? ends.getFirst().qp().startReceive() : srq.startReceive();
    }

    /** Null if the ping-pong polls for completions. */
    @Nullable
    CompletionChannel channel() {
        return channel;
    }

    PingPongBuffer buffer() {
        return buffer;
    }

    /** The region of the buffer. */
    MemoryRegion region() {
        return region;
    }

    CompletionQueue cq() {
        return cq;
    }

    List<PingPongEnd> ends() {
        return ends;
    }

    /** Closes all objects in reverse order. */
    @Override
    public void close() throws ToolFailure {
        closers.close();
    }
}
