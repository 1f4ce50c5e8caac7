package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One side of a connection through the public API: a host of its own with one device, one queue pair, one region. */
final class Endpoint implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    final Host host;
    final Context context;
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final QueuePair qp;
    final MemorySegment memory;
    final MemoryRegion mr;

    Endpoint(DeviceSpec spec, int bytes) {
        this(List.of(spec), RxeOptions.DEFAULT, bytes);
    }

    Endpoint(List<DeviceSpec> specs, RxeOptions options, int bytes) {
        host = Host.create("test");
        host.register(new RxeProvider(specs, options));
        context = host.open(specs.getFirst().name());
        pd = context.allocatePd();
        cq = context.createCq(1000);
        qp = pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(new QpCapabilities(128, 512, 4, 4, 256))
                .build());
        memory = Arena.ofAuto().allocate(bytes, 64);
        mr = pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));
    }

    Gid gid() {
        return context.queryGid(1, 0);
    }

    static void connect(Endpoint a, Endpoint b, Mtu mtu) {
        a.connectTo(b, mtu, 14, 7);
        b.connectTo(a, mtu, 14, 7);
    }

    void connectTo(Endpoint peer, Mtu mtu, int timeout, int retryCount) {
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of())
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .pathMtu(mtu)
                .destinationQpn(peer.qp.qpn())
                .rqPsn(peer.firstPsn())
                .maxDestRdAtomic(1)
                .minRnrTimer(12)
                .addressVector(AddressVector.roce(1, peer.gid(), 0))
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(timeout)
                .retryCount(retryCount)
                .rnrRetry(7)
                .sqPsn(firstPsn())
                .maxRdAtomic(1)
                .build());
    }

    private int firstPsn() {
        return qp.qpn() * 7919 & 0xFFFFFF;
    }

    void postReceive(long wrId, long offset, int length) {
        qp.startReceive()
                .receive(wrId)
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    void postSend(long wrId, long offset, int length) {
        qp.startSend()
                .wrId(wrId)
                .signaled()
                .send()
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    /** Polls until {@code count} completions came; fails loudly if they do not. */
    List<WorkCompletion> awaitCompletions(int count) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        List<WorkCompletion> all = new ArrayList<>();
        while (all.size() < count) {
            all.addAll(cq.poll(count - all.size()));
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("only " + all + " of " + count + " completions; " + diagnosis());
            }
        }
        return all;
    }

    /** Polls without allocating; true if there was a completion. */
    boolean pollOne() {
        try (CompletionCursor wc = cq.startPoll()) {
            return wc.next();
        }
    }

    String diagnosis() {
        return qp.query() + " " + qp.state();
    }

    @Override
    public void close() {
        qp.close();
        cq.close();
        mr.close();
        pd.close();
        context.close();
        host.close();
    }
}
