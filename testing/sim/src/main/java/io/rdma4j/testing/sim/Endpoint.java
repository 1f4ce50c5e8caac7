package io.rdma4j.testing.sim;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.XrcDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One side of a connection: protection domain, completion queues and a queue pair on a host, or two where one sends and
 * another receives. Closed before the host.
 */
final class Endpoint implements AutoCloseable {
    static final int PAGE_BYTES = 4096;

    private final SimHost host;
    private final Service service;
    private final @Nullable SharedQueue shared;
    private final ProtectionDomain pd;
    private final CompletionQueue sendCq;
    private final CompletionQueue receiveCq;
    private final QueuePair qp;
    private final QueuePair target;
    private final Arena arena = Arena.ofShared();
    private final Deque<AutoCloseable> objects = new ArrayDeque<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private @Nullable AddressHandle path;
    private int peerQpn;
    private int peerQueue;

    /** Of a reliable connection. */
    Endpoint(SimHost host, QpCapabilities capabilities, SignalType signalType, boolean sharedCq) {
        this(host, Service.RC, null, capabilities, signalType, sharedCq);
    }

    /**
     * @param shared where receives come from; null for a queue of its own
     * @param sharedCq one completion queue for sends and receives
     */
    Endpoint(
            SimHost host,
            Service service,
            @Nullable SharedQueue shared,
            QpCapabilities capabilities,
            SignalType signalType,
            boolean sharedCq) {
        this.host = host;
        this.service = service;
        this.shared = shared;
        pd = host.context().allocatePd();
        int depth = shared == null
                ? capabilities.maxReceiveWr()
                : shared.srq().query().maxWr();
        // A ring may come out almost twice as long as asked for.
        int entries = 2 * (capabilities.maxSendWr() + depth) + 2;
        sendCq = host.context().createCq(entries);
        receiveCq = sharedCq ? sendCq : host.context().createCq(entries);
        XrcDomain domain = shared == null ? null : shared.xrcDomain();
        qp = pd.createQp(QpInitAttributes.builder(sendCq, domain == null ? receiveCq : null)
                .type(service.type())
                .srq(shared == null || domain != null ? null : shared.srq())
                .capabilities(capabilities)
                .signalType(signalType)
                .createFlags(flags(service))
                .build());
        target = domain == null
                ? qp
                : pd.createQp(QpInitAttributes.xrcTarget(domain)
                        .createFlags(flags(service))
                        .build());
    }

    private static QpCreateFlag[] flags(Service service) {
        return service.isReliable() ? new QpCreateFlag[] {QpCreateFlag.MASKED_ATOMICS} : new QpCreateFlag[0];
    }

    /** Fresh registered memory, all zero. */
    MemoryRegion register(long bytes) {
        return added(pd.registerMemory(arena.allocate(bytes, 64), Set.of(AccessFlag.LOCAL_WRITE)));
    }

    /** The same for the peer's use. */
    MemoryRegion register(long bytes, Set<AccessFlag> access) {
        return register(arena.allocate(bytes, PAGE_BYTES), access);
    }

    /**
     * Registers memory for the peer's use that others may use as well. Its addresses on the wire are the same in every run,
     * wherever it lies.
     *
     * @param memory begins with a page
     */
    MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        return added(targetDomain().registerMemory(memory, (regions.size() + 1L) << Integer.SIZE, access));
    }

    /** Where memory for the peer belongs to: with messages that name a shared queue, to that queue's. */
    private ProtectionDomain targetDomain() {
        return shared != null && service == Service.XRC ? shared.protectionDomain() : pd;
    }

    private MemoryRegion added(MemoryRegion region) {
        regions.add(region);
        return closing(region);
    }

    /** Closes {@code object} with the endpoint, before those that were there before. */
    <T extends AutoCloseable> T closing(T object) {
        objects.push(object);
        return object;
    }

    /** Brings the queue pairs from RESET to RTS. */
    void connect(Endpoint peer, Connection how) {
        connect(peer, how, QpState.RTS);
    }

    /** Brings the queue pairs from RESET to {@code top}: INIT, RTR or RTS. */
    void connect(Endpoint peer, Connection how, QpState top) {
        AddressVector vector = AddressVector.roce(1, peer.host.gid(), 0);
        peerQpn = peer.target.qpn();
        SharedQueue queue = peer.shared;
        peerQueue = queue == null || queue.xrcDomain() == null ? 0 : queue.srq().number();
        if (service == Service.UD && path == null) {
            path = closing(pd.createAddressHandle(vector));
        }
        Ascent.raise(qp, peerQpn, vector, how, top);
        if (target != qp) {
            Ascent.raise(target, peer.qp.qpn(), vector, how, top);
        }
    }

    /** Takes the queue pairs to a state that needs no attributes, unless they are there. */
    void enter(QpState state) {
        for (QueuePair each : queuePairs()) {
            if (each.state() != state) {
                each.modify(QpAttributes.builder().state(state).build());
            }
        }
    }

    /** One, or the one that sends and the one that receives. */
    List<QueuePair> queuePairs() {
        return target == qp ? List.of(qp) : List.of(qp, target);
    }

    /** True if one of them can do no more. */
    boolean isBroken() {
        return qp.state() == QpState.ERR || target.state() == QpState.ERR;
    }

    /** Sizes of the queue pair, as they came out. */
    QpCapabilities capabilities() {
        return qp.initAttributes().capabilities();
    }

    SimHost host() {
        return host;
    }

    Service service() {
        return service;
    }

    ProtectionDomain protectionDomain() {
        return pd;
    }

    /** Where receives come from; null for its own queue. */
    @Nullable
    SharedQueue shared() {
        return shared;
    }

    /** The one that sends. */
    QueuePair qp() {
        return qp;
    }

    /** The one that serves the peer; mostly the same. */
    QueuePair target() {
        return target;
    }

    /** The way to the peer of datagrams. */
    AddressHandle path() {
        return Objects.requireNonNull(path, "datagrams only, and connected");
    }

    /** Number of the peer's queue pair that serves. */
    int peerQpn() {
        return peerQpn;
    }

    /** Number of the peer's shared receive queue, if messages name it. */
    int peerQueue() {
        return peerQueue;
    }

    CompletionQueue sendCq() {
        return sendCq;
    }

    /** May be the same as {@link #sendCq}. */
    CompletionQueue receiveCq() {
        return receiveCq;
    }

    @Override
    public void close() {
        qp.close();
        target.close();
        sendCq.close();
        receiveCq.close();
        objects.forEach(Closing::close);
        pd.close();
        arena.close();
    }

    @Override
    public String toString() {
        return "host" + host.index() + (service == Service.RC ? "" : " " + service);
    }
}
