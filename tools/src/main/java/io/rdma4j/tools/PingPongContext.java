package io.rdma4j.tools;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.GlobalRoute;
import io.rdma4j.verbs.LinkLayer;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rate;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of a ping-pong over a reliable connection: from opening the device to the queue pair that is ready to
 * send. Answers to {@code struct pingpong_context}. Sizes, attributes and error texts are those of the original.
 */
final class PingPongContext implements AutoCloseable {
    private static final int PSN_BITS = 24;

    private final PingPongOptions options;
    private final Deque<Runnable> closers;
    private final Context context;
    private final @Nullable CompletionChannel channel;
    private final PingPongBuffer buffer;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final int psn = new Random().nextInt(1 << PSN_BITS);

    /** Opens the device and makes a queue pair in INIT. */
    static PingPongContext open(Device device, PingPongOptions options) throws PingPongFailure {
        Deque<Runnable> closers = new ArrayDeque<>();
        try {
            return new PingPongContext(device, options, closers);
        } catch (PingPongFailure | RuntimeException e) {
            closers.forEach(Runnable::run);
            throw e;
        }
    }

    private PingPongContext(Device device, PingPongOptions options, Deque<Runnable> closers) throws PingPongFailure {
        this.options = options;
        this.closers = closers;
        context = attempt("Couldn't get context for " + device.name(), device::open);
        closers.push(context::close);
        channel = options.events() ? openChannel() : null;
        ProtectionDomain pd = attempt("Couldn't allocate PD", context::allocatePd);
        closers.push(pd::close);
        Arena arena = Arena.ofShared();
        closers.push(arena::close);
        buffer = allocate(arena);
        region = attempt(
                "Couldn't register MR", () -> pd.registerMemory(buffer.memory(), Set.of(AccessFlag.LOCAL_WRITE)));
        closers.push(region::close);
        cq = attempt("Couldn't create CQ", () -> context.createCq(completionQueue()));
        closers.push(cq::close);
        qp = attempt("Couldn't create QP", () -> pd.createQp(queuePair()));
        closers.push(qp::close);
        modify("INIT", toInit());
    }

    private CqInitAttributes completionQueue() {
        CqInitAttributes attributes = CqInitAttributes.of(options.rxDepth() + 1, channel, 0);
        return options.timestamps() ? attributes.withTimestamps() : attributes;
    }

    private CompletionChannel openChannel() throws PingPongFailure {
        CompletionChannel opened = attempt("Couldn't create completion channel", context::createCompletionChannel);
        closers.push(opened::close);
        return opened;
    }

    private PingPongBuffer allocate(Arena arena) throws PingPongFailure {
        try {
            return new PingPongBuffer(arena, options.sizeBytes(), options.check());
        } catch (OutOfMemoryError e) {
            throw new PingPongFailure("Couldn't allocate work buf.", e);
        }
    }

    private QpInitAttributes queuePair() {
        return QpInitAttributes.builder(cq)
                .type(QpType.RC)
                .capabilities(QpCapabilities.of(1, options.rxDepth()))
                .build();
    }

    private QpAttributes toInit() {
        return QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(options.port())
                .accessFlags(Set.of())
                .build();
    }

    /** The address to tell the peer. */
    PingPongAddress localAddress() throws PingPongFailure {
        PortAttributes port = attempt("Couldn't get port info", () -> context.queryPort(options.port()));
        if (port.linkLayer() != LinkLayer.ETHERNET && port.lid() == 0) {
            throw new PingPongFailure("Couldn't get local LID");
        }
        int index = gidIndex();
        Gid gid = index < 0
                ? Gid.ZERO
                : attempt("can't read sgid of index " + index, () -> context.queryGid(options.port(), index));
        return new PingPongAddress(port.lid(), qp.qpn(), psn, gid);
    }

    /**
     * The slot of the GID table that is used; negative for none. Without {@code -g} the original has no global route and
     * therefore fails on Ethernet, where each packet needs addresses; we take slot 0 there.
     */
    private int gidIndex() {
        boolean pick = options.gidIndex() < 0 && context.linkLayer(options.port()) == LinkLayer.ETHERNET;
        return pick ? 0 : options.gidIndex();
    }

    /** Brings the queue pair to RTS. */
    void connect(PingPongAddress remote) throws PingPongFailure {
        modify("RTR", toRtr(remote));
        modify(
                "RTS",
                QpAttributes.builder()
                        .state(QpState.RTS)
                        .timeout(14)
                        .retryCount(7)
                        .rnrRetry(7)
                        .sqPsn(psn)
                        .maxRdAtomic(1)
                        .build());
    }

    private QpAttributes toRtr(PingPongAddress remote) {
        GlobalRoute route = remote.gid().interfaceId() == 0
                ? null
                : new GlobalRoute(remote.gid(), 0, Math.max(gidIndex(), 0), 1, 0);
        return QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(new AddressVector(
                        route, remote.lid(), options.serviceLevel(), 0, Rate.PORT_CURRENT, options.port()))
                .pathMtu(options.pathMtu())
                .destinationQpn(remote.qpn())
                .rqPsn(remote.psn())
                .maxDestRdAtomic(1)
                .minRnrTimer(12)
                .build();
    }

    private void modify(String state, QpAttributes attributes) throws PingPongFailure {
        attempt("Failed to modify QP to " + state, () -> {
            qp.modify(attributes);
            return true;
        });
    }

    /** @throws PingPongFailure with the original's {@code text} and the reason, if the verb is refused */
    private static <T> T attempt(String text, Supplier<T> verb) throws PingPongFailure {
        try {
            return verb.get();
        } catch (RdmaException e) {
            throw new PingPongFailure(text, e);
        }
    }

    /** Null if completions are polled for. */
    @Nullable
    CompletionChannel channel() {
        return channel;
    }

    PingPongBuffer buffer() {
        return buffer;
    }

    /** Local key of the buffer. */
    int lkey() {
        return region.lkey();
    }

    CompletionQueue cq() {
        return cq;
    }

    QueuePair qp() {
        return qp;
    }

    /** Closes everything, the last made first. */
    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }
}
