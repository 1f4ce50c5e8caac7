package io.rdma4j.testing.sim;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SignalType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One side of a connection: protection domain, completion queues and a queue pair on a host. Closed before the host. */
final class Endpoint implements AutoCloseable {
    static final int PAGE_BYTES = 4096;

    private final SimHost host;
    private final ProtectionDomain pd;
    private final CompletionQueue sendCq;
    private final CompletionQueue receiveCq;
    private final QueuePair qp;
    private final Arena arena = Arena.ofShared();
    private final List<MemoryRegion> regions = new ArrayList<>();

    /** @param sharedCq one completion queue for sends and receives */
    Endpoint(SimHost host, QpCapabilities capabilities, SignalType signalType, boolean sharedCq) {
        this.host = host;
        pd = host.context().allocatePd();
        // A ring may come out almost twice as long as asked for.
        int entries = 2 * (capabilities.maxSendWr() + capabilities.maxReceiveWr()) + 2;
        sendCq = host.context().createCq(entries);
        receiveCq = sharedCq ? sendCq : host.context().createCq(entries);
        qp = pd.createQp(QpInitAttributes.builder(sendCq, receiveCq)
                .capabilities(capabilities)
                .signalType(signalType)
                .build());
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
        return added(pd.registerMemory(memory, (regions.size() + 1L) << Integer.SIZE, access));
    }

    private MemoryRegion added(MemoryRegion region) {
        regions.add(region);
        return region;
    }

    /** Brings the queue pair from RESET to RTS. */
    void connect(Endpoint peer, Connection how) {
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(how.remoteRights())
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .pathMtu(how.pathMtu())
                .destinationQpn(peer.qp.qpn())
                .rqPsn(how.rqPsn())
                .maxDestRdAtomic(how.rdAtomic())
                .minRnrTimer(how.minRnrTimer())
                .addressVector(AddressVector.roce(1, peer.host.gid(), 0))
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(how.timeout())
                .retryCount(how.retryCount())
                .rnrRetry(how.rnrRetry())
                .sqPsn(how.sqPsn())
                .maxRdAtomic(how.rdAtomic())
                .build());
    }

    /** Takes the queue pair to a state that needs no attributes. */
    void enter(QpState state) {
        qp.modify(QpAttributes.builder().state(state).build());
    }

    /** Sizes of the queue pair, as they came out. */
    QpCapabilities capabilities() {
        return qp.initAttributes().capabilities();
    }

    SimHost host() {
        return host;
    }

    QueuePair qp() {
        return qp;
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
        sendCq.close();
        receiveCq.close();
        regions.forEach(MemoryRegion::close);
        pd.close();
        arena.close();
    }

    @Override
    public String toString() {
        return "host" + host.index();
    }
}
