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
import io.rdma4j.verbs.DeviceLimit;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of a test: from opening the device to the queue pairs. Answers to {@code struct pingpong_context}.
 *
 * <p>One region holds, for each queue pair, a place to send from and, behind all of those, a place for the other side.
 */
final class PerfContext implements AutoCloseable {
    /** Each place has at least a page, round which small messages go. */
    static final int PAGE_BYTES = 4096;

    /** Small messages are so far apart. */
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

    /** The device that is open. */
    Device device() {
        return context.device();
    }

    /** What the user wants, or the port has. */
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
     * Makes the queue pairs, in INIT.
     *
     * @param test which says what they must allow
     * @param place bytes that a place has, for the largest message
     */
    void create(PerfTest test, long place) throws ToolFailure {
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
        SharedReceiveQueue srq = options.load().sharedReceives() ? createSrq(pd) : null;
        for (int i = 0; i < count; i++) {
            QpInitAttributes attributes = QpInitAttributes.builder(sends, receives)
                    .type(options.connection().service())
                    .srq(srq)
                    .capabilities(new QpCapabilities(
                            options.load().txDepth(),
                            options.load().rxDepth(),
                            1,
                            1,
                            options.load().inlineBytes()))
                    .build();
            QueuePair qp = Attempt.to("Unable to create QP.", () -> pd.createQp(attributes));
            MemorySegment outgoing = memory.asSlice(i * place, place);
            MemorySegment incoming = memory.asSlice((count + i) * place, place);
            PerfQueuePair made = new PerfQueuePair(i, qp, srq, test.verb(), options, region, outgoing, incoming);
            closers.push("Couldn't destroy QP", made::close);
            made.init();
            queuePairs.add(made);
        }
    }

    private MemorySegment allocate(Arena arena, long bytes) throws ToolFailure {
        try {
            return context.allocateBuffer(bytes, PAGE_BYTES, arena);
        } catch (OutOfMemoryError e) {
            throw new ToolFailure("Couldn't allocate " + bytes + " bytes of work buf; use a smaller -s or -q", e);
        }
    }

    private SharedReceiveQueue createSrq(ProtectionDomain pd) throws ToolFailure {
        SharedReceiveQueue created = Attempt.to(
                "Couldn't create SRQ",
                () -> pd.createSrq(SrqInitAttributes.basic(options.load().rxDepth(), 1)));
        closers.push("Couldn't destroy SRQ", created::close);
        return created;
    }

    private CompletionQueue createCq(String what, int entries) throws ToolFailure {
        CompletionQueue created =
                Attempt.to("Couldn't create " + what + " CQ", () -> context.createCq(entries, channel));
        closers.push("Couldn't destroy " + what + " CQ", created::close);
        return created;
    }

    /** The slot of the GID table: what the user wants, else that of the route to the peer. */
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
     * What the peer is told: the address of each queue pair, and where it may read and write.
     *
     * @param receives datagrams of a multicast group arrive here, if the user wants one
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
        return addresses;
    }

    /** A group of the port's kind of address, and of this queue pair: two tests at a time do not disturb each other. */
    private static Gid defaultGroup(Gid own, int qpn) {
        return own.isIpv4()
                ? Gid.parse("239." + (qpn >> 16 & 0xFF) + "." + (qpn >> 8 & 0xFF) + "." + (qpn & 0xFF))
                : Gid.parse(String.format(Locale.ROOT, "ff01::2c9:8500:%x:%x", qpn >> 16, qpn & 0xFFFF));
    }

    /** Brings the queue pairs to RTS. */
    void connect(List<PerfAddress> local, List<PerfAddress> remote, Mtu mtu) throws ToolFailure {
        for (int i = 0; i < queuePairs.size(); i++) {
            queuePairs.get(i).connect(local.get(i), remote.get(i), mtu, gidIndex());
        }
    }

    int outstandingReads() {
        return outstandingReads;
    }

    /** Bytes that a place needs so that messages of {@code size} can go round in it. */
    static long place(int size, int page, QpType service) {
        long bytes = Math.max(page, size);
        return Math.ceilDiv(bytes + (service == QpType.UD ? LINE_BYTES : 0), PAGE_BYTES) * PAGE_BYTES;
    }

    List<PerfQueuePair> queuePairs() {
        return queuePairs;
    }

    /** Null if completions are polled for. */
    @Nullable
    CompletionChannel channel() {
        return channel;
    }

    /** After {@link #create}. */
    CompletionQueue sendCq() {
        return created(sendCq);
    }

    /** After {@link #create}. */
    CompletionQueue receiveCq() {
        return created(receiveCq);
    }

    private static CompletionQueue created(@Nullable CompletionQueue cq) {
        if (cq == null) {
            throw new IllegalStateException("queue pairs have not been made yet");
        }
        return cq;
    }

    /** Closes everything, the last made first. */
    @Override
    public void close() throws ToolFailure {
        closers.close();
    }
}
