// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.Closers;
import io.rdma4j.tools.peer.GidSlots;
import io.rdma4j.tools.peer.RandomPsn;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of a test, from the device to the queue pairs. Corresponds to {@code struct pingpong_context}.
 *
 * <p>One region holds a send buffer for each queue pair and, behind all of those, a buffer for the peer.
 */
final class PerfContext implements AutoCloseable {
    /** Minimum size of a buffer; small messages are distributed over it. */
    static final int PAGE_BYTES = 4096;

    /** Distance of small messages. */
    static final int LINE_BYTES = 64;

    private static final int MAX_OUTSTANDING = 128;

    private final PerfOptions options;
    private final Closers closers;
    private final Context context;
    private final List<PerfQueuePair> queuePairs = new ArrayList<>();
    private final int outstandingReads;
    private final int routeSlot;
    private @Nullable CompletionChannel channel;
    private @Nullable CompletionQueue sendCq;
    private @Nullable CompletionQueue receiveCq;

    private PerfContext(Context context, int routeSlot, PerfOptions options, Closers closers) throws ToolFailure {
        this.context = context;
        this.routeSlot = routeSlot;
        this.options = options;
        this.closers = closers;
        this.outstandingReads = options.connection().outstandingReads() > 0
                ? options.connection().outstandingReads()
                : (int) Math.min(MAX_OUTSTANDING, context.queryDevice().limit(DeviceLimit.MAX_QP_RD_ATOM));
    }

    /**
     * Opens the device.
     *
     * @param routeSlot slot of the GID table that is used unless the user has given one
     */
    static PerfContext open(Device device, int routeSlot, PerfOptions options) throws ToolFailure {
        Context context = Attempt.to("Couldn't get context for the device " + device.name(), device::open);
        Closers closers = new Closers();
        closers.push("Couldn't release context", context::close);
        try {
            return new PerfContext(context, routeSlot, options, closers);
        } catch (ToolFailure | RuntimeException e) {
            closers.closeAfter(e);
            throw e;
        }
    }

    /** Closes the connections of rdma_cm with this object, after the queue pairs. */
    void closeWith(CmQueuePairs connector) {
        closers.push("Couldn't close the connections", connector::close);
    }

    /** The open device. */
    Device device() {
        return context.device();
    }

    /** The path MTU that the user chose, or that of the port. */
    Mtu mtu() throws ToolFailure {
        Mtu active = Attempt.to(
                        "Couldn't query the port",
                        () -> context.queryPort(options.connection().port()))
                .activeMtu();
        Mtu wanted = options.connection().mtu();
        if (wanted != null && wanted.compareTo(active) > 0) {
            throw new ToolFailure("Requested mtu is higher than active mtu " + active.bytes());
        }
        return wanted == null ? active : wanted;
    }

    /**
     * Creates the queue pairs, in INIT; those of rdma_cm are connected.
     *
     * @param test determines the access rights
     * @param place bytes of a buffer, for the largest message
     * @param connector makes the queue pairs of rdma_cm; null for others
     */
    void create(PerfTest test, long place, @Nullable CmQueuePairs connector) throws ToolFailure, InterruptedException {
        channel = options.events()
                ? Attempt.to("Couldn't create completion channel", context::createCompletionChannel)
                : null;
        if (channel != null) {
            closers.push("Couldn't destroy completion channel", channel::close);
        }
        ProtectionDomain pd = Attempt.to("Couldn't allocate PD", context::allocatePd);
        closers.push("Couldn't deallocate PD", pd::close);
        Arena arena = Arena.ofShared();
        closers.push("Couldn't free work buf.", arena::close);
        int count = options.load().queuePairs();
        MemorySegment memory = allocate(arena, 2L * count * place);
        MemoryRegion region = Attempt.to(
                "Couldn't allocate MR",
                () -> pd.registerMemory(memory, test.verb().memoryRights()));
        closers.push("Couldn't deregister MR", region::close);
        CompletionQueue sends = createCq("send", options.load().txDepth() * count);
        CompletionQueue receives = createCq("receiver", options.load().rxDepth() * count);
        sendCq = sends;
        receiveCq = receives;
        XrcDomain domain = isXrc() ? openXrcDomain() : null;
        boolean bothWays = test.isLatency() || options.load().bidirectional();
        SharedReceiveQueue srq = options.load().sharedReceives() ? createSrq(pd, domain, receives) : null;
        for (int i = 0; i < count; i++) {
            QueuePair qp;
            if (connector != null) {
                qp = connector.next(pd, attributes(sends, receives, srq), sends, receives, outstandingReads);
            } else if (domain != null && !bothWays && !options.isSender()) {
                qp = createQp(pd, QpInitAttributes.xrcTarget(domain).build());
            } else {
                qp = createQp(pd, attributes(sends, receives, srq));
            }
            QueuePair receiver = domain != null && bothWays
                    ? createQp(pd, QpInitAttributes.xrcTarget(domain).build())
                    : qp;
            MemorySegment outgoing = memory.asSlice(i * place, place);
            MemorySegment incoming = memory.asSlice((count + i) * place, place);
            PerfQueuePair made =
                    new PerfQueuePair(i, qp, receiver, srq, test.verb(), options, region, outgoing, incoming);
            closers.push("Couldn't destroy QP", made::close);
            if (connector == null) {
                made.init();
            }
            queuePairs.add(made);
        }
        if (connector != null) {
            closers.push("Couldn't disconnect QPs", connector::disconnect);
        }
    }

    private boolean isXrc() {
        return options.connection().service() == QpType.XRC_INI;
    }

    private XrcDomain openXrcDomain() throws ToolFailure {
        XrcDomain opened = Attempt.to("Couldn't open XRC domain", context::openXrcDomain);
        closers.push("Couldn't close XRC domain", opened::close);
        return opened;
    }

    private QpInitAttributes attributes(
            CompletionQueue sends, CompletionQueue receives, @Nullable SharedReceiveQueue srq) {
        return QpInitAttributes.builder(sends, isXrc() ? null : receives)
                .type(options.connection().service())
                .srq(isXrc() ? null : srq)
                .capabilities(new QpCapabilities(
                        options.load().txDepth(),
                        isXrc() ? 0 : options.load().rxDepth(),
                        1,
                        isXrc() ? 0 : 1,
                        options.load().inlineBytes()))
                .build();
    }

    private static QueuePair createQp(ProtectionDomain pd, QpInitAttributes attributes) throws ToolFailure {
        return Attempt.to("Unable to create QP.", () -> pd.createQp(attributes));
    }

    private MemorySegment allocate(Arena arena, long bytes) throws ToolFailure {
        try {
            return context.allocateBuffer(bytes, PAGE_BYTES, arena);
        } catch (OutOfMemoryError e) {
            throw new ToolFailure("Couldn't allocate " + bytes + " bytes of work buf; use a smaller -s or -q", e);
        }
    }

    private SharedReceiveQueue createSrq(ProtectionDomain pd, @Nullable XrcDomain domain, CompletionQueue receives)
            throws ToolFailure {
        int depth = options.load().rxDepth();
        SrqInitAttributes attributes = domain == null
                ? SrqInitAttributes.basic(depth, 1)
                : SrqInitAttributes.xrc(new SrqAttributes(depth, 1, 0), domain, receives);
        SharedReceiveQueue created = Attempt.to("Couldn't create SRQ", () -> pd.createSrq(attributes));
        closers.push("Couldn't destroy SRQ", created::close);
        return created;
    }

    private CompletionQueue createCq(String what, int entries) throws ToolFailure {
        CompletionQueue created =
                Attempt.to("Couldn't create " + what + " CQ", () -> context.createCq(entries, channel));
        closers.push("Couldn't destroy " + what + " CQ", created::close);
        return created;
    }

    /** Slot of the GID table that the user chose, else that of the route to the peer. */
    int gidIndex() throws ToolFailure {
        if (options.connection().gidIndex() >= 0) {
            return options.connection().gidIndex();
        }
        return options.connection().ipv6() ? firstIpv6() : routeSlot;
    }

    private int firstIpv6() throws ToolFailure {
        for (GidEntry entry : context.queryGidTable()) {
            if (entry.port() == options.connection().port() && !entry.gid().isIpv4()) {
                return entry.index();
            }
        }
        throw new ToolFailure("--ipv6: the device has no IPv6 address; its GIDs are " + GidSlots.text(context));
    }

    /**
     * Returns the address of each queue pair and of its memory, for the peer.
     *
     * @param receives whether datagrams of a multicast group arrive here, if the user chose one
     */
    List<PerfAddress> localAddresses(boolean receives) throws ToolFailure {
        int slot = gidIndex();
        Gid gid = Attempt.to(
                "Failed to query GID index " + slot,
                () -> context.queryGidEntry(options.connection().port(), slot).gid());
        int lid = context.queryPort(options.connection().port()).lid();
        List<PerfAddress> addresses = new ArrayList<>();
        Gid group = options.connection().multicast();
        if (group != null && receives) {
            PerfQueuePair only = queuePairs.getFirst();
            addresses.add(
                    only.joined(group.equals(Gid.ZERO) ? defaultGroup(gid, only.qpn()) : group, lid, RandomPsn.next()));
            return addresses;
        }
        for (PerfQueuePair queuePair : queuePairs) {
            addresses.add(queuePair.address(lid, outstandingReads, RandomPsn.next(), gid));
        }
        // In perftest's order: receiving queue pairs after the sending ones.
        for (PerfQueuePair queuePair : queuePairs) {
            if (queuePair.hasReceiver()) {
                addresses.add(queuePair.receiverAddress(lid, outstandingReads, RandomPsn.next(), gid));
            }
        }
        return addresses;
    }

    /**
     * Returns a multicast group for the address family of the port and this queue pair, so that parallel tests use
     * different groups.
     */
    private static Gid defaultGroup(Gid own, int qpn) {
        return own.isIpv4()
                ? Gid.parse("239." + (qpn >> 16 & 0xFF) + "." + (qpn >> 8 & 0xFF) + "." + (qpn & 0xFF))
                : Gid.parse(String.format(Locale.ROOT, "ff01::2c9:8500:%x:%x", qpn >> 16, qpn & 0xFFFF));
    }

    /** Tells the queue pairs of rdma_cm, which are connected, the memory of their peers. */
    void meet(List<PerfAddress> remote) throws ToolFailure {
        for (int i = 0; i < queuePairs.size(); i++) {
            queuePairs.get(i).meet(remote.get(i), gidIndex());
        }
    }

    /** Moves the queue pairs to RTS. */
    void connect(List<PerfAddress> local, List<PerfAddress> remote, Mtu mtu) throws ToolFailure {
        int count = queuePairs.size();
        for (int i = 0; i < count; i++) {
            PerfQueuePair queuePair = queuePairs.get(i);
            if (queuePair.hasReceiver()) {
                queuePair.connect(local.get(i), remote.get(count + i), mtu, gidIndex());
                queuePair.connectReceiver(local.get(count + i), remote.get(i), mtu, gidIndex());
            } else {
                queuePair.connect(local.get(i), remote.get(i), mtu, gidIndex());
            }
        }
    }

    int outstandingReads() {
        return outstandingReads;
    }

    /** Bytes of a buffer over which messages of {@code size} can be distributed. */
    static long place(int size, int page, QpType service) {
        long bytes = Math.max(page, size);
        return Math.ceilDiv(bytes + (service == QpType.UD ? LINE_BYTES : 0), PAGE_BYTES) * PAGE_BYTES;
    }

    List<PerfQueuePair> queuePairs() {
        return queuePairs;
    }

    /** Null if the test polls for completions. */
    @Nullable
    CompletionChannel channel() {
        return channel;
    }

    /** Available after {@link #create}. */
    CompletionQueue sendCq() {
        return created(sendCq);
    }

    /** Available after {@link #create}. */
    CompletionQueue receiveCq() {
        return created(receiveCq);
    }

    private static CompletionQueue created(@Nullable CompletionQueue cq) {
        if (cq == null) {
            throw new IllegalStateException("queue pairs have not been made yet");
        }
        return cq;
    }

    /** Closes all objects in reverse order. */
    @Override
    public void close() throws ToolFailure {
        closers.close();
    }
}
