// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.SignalType;
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
 * One side of a connection: protection domain, completion queues and a queue pair on a host, or two queue pairs if one
 * sends and another receives (XRC). Closed before the host.
 */
public final class SimEndpoint implements AutoCloseable {
    public static final Set<AccessFlag> REMOTE_RIGHTS = Set.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.FLUSH_GLOBAL);

    public static final int PAGE_BYTES = 4096;

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

    /** Creates an endpoint of a reliable connection. */
    public SimEndpoint(SimHost host, QpCapabilities capabilities, SignalType signalType, boolean sharedCq) {
        this(host, Service.RC, null, capabilities, signalType, sharedCq);
    }

    /**
     * @param shared shared receive queue; null: the queue pair's own
     * @param sharedCq one completion queue for sends and receives
     */
    public SimEndpoint(
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
        // The actual capacity of a ring may be almost twice the requested one.
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

    /** Allocates and registers memory, all zero. */
    public MemoryRegion register(long bytes) {
        return added(pd.registerMemory(arena.allocate(bytes, 64), Set.of(AccessFlag.LOCAL_WRITE)));
    }

    /** The same with {@code access} for the peer. */
    public MemoryRegion register(long bytes, Set<AccessFlag> access) {
        return register(arena.allocate(bytes, PAGE_BYTES), access);
    }

    /**
     * Registers memory for the peer that others may use as well. Its addresses on the wire are the same in every run.
     *
     * @param memory page-aligned
     */
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        return added(targetDomain().registerMemory(memory, (regions.size() + 1L) << Integer.SIZE, access));
    }

    /** Protection domain of memory for the peer: that of the shared queue if messages name it (XRC). */
    private ProtectionDomain targetDomain() {
        return shared != null && service == Service.XRC ? shared.protectionDomain() : pd;
    }

    private MemoryRegion added(MemoryRegion region) {
        regions.add(region);
        return closing(region);
    }

    /** Closes {@code object} with the endpoint, before the objects added earlier. */
    public <T extends AutoCloseable> T closing(T object) {
        objects.push(object);
        return object;
    }

    /** Moves the queue pairs from RESET to RTS. */
    public void connect(SimEndpoint peer, ConnectionSetup how) {
        connect(peer, how, QpState.RTS);
    }

    /** Moves the queue pairs from RESET to {@code top}: INIT, RTR or RTS. */
    public void connect(SimEndpoint peer, ConnectionSetup how, QpState top) {
        AddressVector vector = AddressVector.roce(1, peer.host.gid(), 0);
        peerQpn = peer.target.qpn();
        SharedQueue queue = peer.shared;
        peerQueue = queue == null || queue.xrcDomain() == null ? 0 : queue.srq().number();
        if (service == Service.UD && path == null) {
            path = closing(pd.createAddressHandle(vector));
        }
        QpConnector.raise(qp, peerQpn, vector, how, top);
        if (target != qp) {
            QpConnector.raise(target, peer.qp.qpn(), vector, how, top);
        }
    }

    /** Moves the queue pairs to a state that needs no attributes, unless they are in it. */
    public void enter(QpState state) {
        for (QueuePair each : queuePairs()) {
            if (each.state() != state) {
                each.modify(QpAttributes.builder().state(state).build());
            }
        }
    }

    /** One queue pair, or the sending and the receiving one. */
    public List<QueuePair> queuePairs() {
        return target == qp ? List.of(qp) : List.of(qp, target);
    }

    /** True if one of them is in an error state. */
    public boolean isBroken() {
        return qp.state() == QpState.ERR || target.state() == QpState.ERR;
    }

    /** Actual sizes of the queue pair. */
    public QpCapabilities capabilities() {
        return qp.initAttributes().capabilities();
    }

    public SimHost host() {
        return host;
    }

    public Service service() {
        return service;
    }

    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** Shared receive queue; null if the queue pair has its own. */
    @Nullable
    public SharedQueue shared() {
        return shared;
    }

    /** The queue pair that sends. */
    public QueuePair qp() {
        return qp;
    }

    /** The queue pair that receives and serves the peer; the same one except for XRC. */
    public QueuePair target() {
        return target;
    }

    /** Address handle of the peer, for datagrams. */
    public AddressHandle path() {
        return Objects.requireNonNull(path, "datagrams only, and connected");
    }

    /** Number of the peer's receiving queue pair. */
    public int peerQpn() {
        return peerQpn;
    }

    /** Number of the peer's shared receive queue, if messages name it (XRC). */
    public int peerQueue() {
        return peerQueue;
    }

    public CompletionQueue sendCq() {
        return sendCq;
    }

    /** May be the same as {@link #sendCq}. */
    public CompletionQueue receiveCq() {
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
