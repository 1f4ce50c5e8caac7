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
        MemorySegment memory = arena.allocate(bytes, 64);
        MemoryRegion region = pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));
        regions.add(region);
        return region;
    }

    /** Brings the queue pair from RESET to RTS. */
    void connect(Endpoint peer, Connection how) {
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of())
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .pathMtu(how.pathMtu())
                .destinationQpn(peer.qp.qpn())
                .rqPsn(how.rqPsn())
                .maxDestRdAtomic(1)
                .minRnrTimer(how.minRnrTimer())
                .addressVector(AddressVector.roce(1, peer.host.gid(), 0))
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(how.timeout())
                .retryCount(how.retryCount())
                .rnrRetry(how.rnrRetry())
                .sqPsn(how.sqPsn())
                .maxRdAtomic(1)
                .build());
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
