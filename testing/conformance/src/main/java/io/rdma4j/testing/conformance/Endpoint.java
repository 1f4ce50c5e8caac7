package io.rdma4j.testing.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One side of a connection through the public API: a protection domain, a completion queue for each direction, a queue pair,
 * and a region for all its messages.
 */
public final class Endpoint implements AutoCloseable {
    /** That of raw EtherType queue pairs: for local experiments (IEEE 802). */
    static final int ETHER_TYPE = 0x88B5;

    private static final int ALIGNMENT = 64;

    public final Context context;
    public final ProtectionDomain pd;
    public final CompletionQueue sendCq;
    public final CompletionQueue receiveCq;
    public final QueuePair qp;
    public final MemorySegment memory;
    public final MemoryRegion mr;

    private final ConformanceTarget target;
    private final Set<AccessFlag> remoteRights;

    /** Makes everything; the queue pair is in RESET. */
    public Endpoint(ConformanceTarget target, Context context, EndpointSetup setup) {
        this.target = target;
        this.context = context;
        pd = context.allocatePd();
        sendCq = context.createCq(setup.cqEntries(), setup.channel());
        receiveCq = context.createCq(setup.cqEntries(), setup.channel());
        qp = pd.createQp(QpInitAttributes.builder(sendCq, receiveCq)
                .type(setup.type())
                .srq(setup.srq())
                .port(setup.type() == QpType.GSI ? target.port() : 0)
                .etherType(setup.type() == QpType.RAW_ETHERTYPE ? ETHER_TYPE : 0)
                .capabilities(setup.capabilities())
                .signalType(setup.signalType())
                .createFlags(setup.createFlags().toArray(QpCreateFlag[]::new))
                .build());
        memory = target.allocate(setup.memoryBytes(), ALIGNMENT);
        remoteRights = setup.remoteRights();
        Set<AccessFlag> access = new HashSet<>(remoteRights);
        access.add(AccessFlag.LOCAL_WRITE);
        mr = pd.registerMemory(memory, access);
    }

    // Connecting

    public Gid gid() {
        return context.queryGid(target.port(), target.gidIndex());
    }

    /** A path to another port, over the GIDs that the target says. */
    AddressVector pathTo(Endpoint peer) {
        return AddressVector.roce(target.port(), peer.gid(), target.gidIndex());
    }

    /** The attributes of RESET to INIT, complete. */
    QpAttributes.Builder init() {
        return Transitions.init(type(), target.port(), remoteRights);
    }

    /** The attributes of INIT to RTR, complete. */
    QpAttributes.Builder readyToReceive(Endpoint peer, LinkSetup link) {
        return Transitions.readyToReceive(type(), link, peer.qp.qpn(), pathTo(peer));
    }

    /** The attributes of RTR to RTS of a reliable connection, complete. */
    static QpAttributes.Builder readyToSend(LinkSetup link) {
        return Transitions.readyToSend(QpType.RC, link);
    }

    private QpType type() {
        return qp.initAttributes().type();
    }

    /** From RESET to RTS; a datagram queue pair then talks to anybody, not to {@code peer} alone. */
    public void connectTo(Endpoint peer, LinkSetup link) {
        moveTo(QpState.INIT, peer, link);
        moveTo(QpState.RTR, peer, link);
        moveTo(QpState.RTS, peer, link);
    }

    /** One step of the way from RESET to RTS, or to a state that needs no attributes. */
    void moveTo(QpState state, Endpoint peer, LinkSetup link) {
        qp.modify(
                switch (state) {
                    case INIT -> init().build();
                    case RTR -> readyToReceive(peer, link).build();
                    case RTS -> Transitions.readyToSend(type(), link).build();
                    default -> only(state);
                });
    }

    /** From RESET to {@code state} by the shortest way. */
    void bringTo(QpState state, Endpoint peer) {
        for (QpState step : way(state)) {
            moveTo(step, peer, LinkSetup.DEFAULT);
        }
    }

    private static List<QpState> way(QpState state) {
        return switch (state) {
            case RESET -> List.of();
            case INIT -> List.of(QpState.INIT);
            case ERR -> List.of(QpState.INIT, QpState.ERR);
            case RTR -> List.of(QpState.INIT, QpState.RTR);
            case RTS -> List.of(QpState.INIT, QpState.RTR, QpState.RTS);
            case SQD, SQE -> List.of(QpState.INIT, QpState.RTR, QpState.RTS, state);
        };
    }

    /** Nothing but a state. */
    static QpAttributes only(QpState state) {
        return QpAttributes.builder().state(state).build();
    }

    // Posting, by the allocation-free door

    public void postReceive(long wrId, long offset, int length) {
        qp.startReceive()
                .receive(wrId)
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    /** Posts a signalled SEND. */
    public void postSend(long wrId, long offset, int length) {
        qp.startSend()
                .wrId(wrId)
                .signaled()
                .send()
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    /** Where byte {@code offset} of the memory is for the peer. */
    public long remote(long offset) {
        return mr.iova() + offset;
    }

    // Waiting

    /** Polls until {@code count} sends completed, however they ended. */
    public List<WorkCompletion> awaitSends(int count) {
        return await(sendCq, count);
    }

    /** Polls until {@code count} receives completed, however they ended. */
    public List<WorkCompletion> awaitReceives(int count) {
        return await(receiveCq, count);
    }

    /** The next completed send, which must be a success. */
    public WorkCompletion awaitSend() {
        return success(awaitSends(1).getFirst());
    }

    /** The next completed receive, which must be a success. */
    public WorkCompletion awaitReceive() {
        return success(awaitReceives(1).getFirst());
    }

    private static WorkCompletion success(WorkCompletion completion) {
        assertThat(completion.status()).as(completion.toString()).isEqualTo(WcStatus.SUCCESS);
        return completion;
    }

    private List<WorkCompletion> await(CompletionQueue cq, int count) {
        List<WorkCompletion> all = new ArrayList<>();
        ConformanceCases.await(target, count + " completions of " + qp, () -> {
            all.addAll(cq.poll(count - all.size()));
            return all.size() >= count;
        });
        return all;
    }

    @Override
    public void close() {
        qp.close();
        sendCq.close();
        receiveCq.close();
        mr.close();
        pd.close();
    }
}
