package io.rdma4j.testing.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One side of a connection, built with the public API: a protection domain, a completion queue for each direction, a
 * queue pair, and a region for all its messages.
 */
public final class Endpoint implements AutoCloseable {
    /** EtherType of raw queue pairs: for local experiments (IEEE 802). */
    public static final int ETHER_TYPE = 0x88B5;

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

    /** Creates all objects; the queue pair is in RESET. */
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

    /** Returns a path to another port, with the GIDs of the target. */
    public AddressVector pathTo(Endpoint peer) {
        return AddressVector.roce(target.port(), peer.gid(), target.gidIndex());
    }

    /** Returns all attributes of RESET to INIT. */
    public QpAttributes.Builder init() {
        return Transitions.init(type(), target.port(), remoteRights);
    }

    /** Returns all attributes of INIT to RTR. */
    public QpAttributes.Builder readyToReceive(Endpoint peer, LinkSetup link) {
        return Transitions.readyToReceive(type(), link, peer.qp.qpn(), pathTo(peer));
    }

    /** Returns all attributes of RTR to RTS of a reliable connection. */
    public static QpAttributes.Builder readyToSend(LinkSetup link) {
        return Transitions.readyToSend(QpType.RC, link);
    }

    private QpType type() {
        return qp.initAttributes().type();
    }

    /** Moves from RESET to RTS. A datagram queue pair can then send to any peer, not to {@code peer} only. */
    public void connectTo(Endpoint peer, LinkSetup link) {
        moveTo(QpState.INIT, peer, link);
        moveTo(QpState.RTR, peer, link);
        moveTo(QpState.RTS, peer, link);
    }

    /** Executes one transition from RESET to RTS, or to a state that needs no attributes. */
    public void moveTo(QpState state, Endpoint peer, LinkSetup link) {
        qp.modify(
                switch (state) {
                    case INIT -> init().build();
                    case RTR -> readyToReceive(peer, link).build();
                    case RTS -> Transitions.readyToSend(type(), link).build();
                    default -> only(state);
                });
    }

    /** Moves from RESET to {@code state} by the shortest path. */
    public void bringTo(QpState state, Endpoint peer) {
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

    /** Returns attributes with a state only. */
    public static QpAttributes only(QpState state) {
        return QpAttributes.builder().state(state).build();
    }

    // Posting, with the allocation-free API

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

    /** Address of byte {@code offset} of the memory for the peer. */
    public long remote(long offset) {
        return mr.iova() + offset;
    }

    // Waiting

    /** Polls until {@code count} sends have completed, with any status. */
    public List<WorkCompletion> awaitSends(int count) {
        return await(sendCq, count);
    }

    /** Polls until {@code count} receives have completed, with any status. */
    public List<WorkCompletion> awaitReceives(int count) {
        return await(receiveCq, count);
    }

    /** Waits for the next completed send, which must be successful. */
    public WorkCompletion awaitSend() {
        return success(awaitSends(1).getFirst());
    }

    /** Waits for the next completed receive, which must be successful. */
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
