// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.endpoint;

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

    /** The context of all objects; the caller closes it. */
    public final Context context;

    /** The protection domain of the queue pair and the region. */
    public final ProtectionDomain pd;

    /** The completion queue of the sends. */
    public final CompletionQueue sendCq;

    /** The completion queue of the receives. */
    public final CompletionQueue receiveCq;

    /** The queue pair. */
    public final QueuePair qp;

    /** The memory of all messages. */
    public final MemorySegment memory;

    /** The region of {@link #memory}. */
    public final MemoryRegion mr;

    private final EndpointTarget target;
    private final Set<AccessFlag> remoteRights;

    /**
     * Creates all objects; the queue pair is in RESET.
     *
     * @param target the device under test
     * @param context of the device; the caller closes it after the endpoint
     * @param setup attributes of the objects
     */
    public Endpoint(EndpointTarget target, Context context, EndpointSetup setup) {
        this.target = target;
        this.context = context;
        pd = context.allocatePd();
        sendCq = context.createCq(setup.cqEntries(), setup.channel());
        receiveCq = context.createCq(setup.cqEntries(), setup.channel());
        qp = pd.createQp(QpInitAttributes.builder(sendCq, receiveCq)
                .type(setup.type())
                .srq(setup.srq())
                .port(setup.type() == QpType.GSI || setup.type() == QpType.SMI ? target.port() : 0)
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

    /** {@return the GID of the target's slot} */
    public Gid gid() {
        return context.queryGid(target.port(), target.gidIndex());
    }

    /**
     * {@return a path to the port of another endpoint: by GID, and on InfiniBand by LID}
     *
     * @param peer the other endpoint
     */
    public AddressVector pathTo(Endpoint peer) {
        return Paths.to(peer.target, peer.context);
    }

    /** {@return all attributes of RESET to INIT} */
    public QpAttributes.Builder init() {
        return Transitions.init(type(), target.port(), remoteRights);
    }

    /**
     * {@return all attributes of INIT to RTR}
     *
     * @param peer the other endpoint
     * @param link attributes of the connection
     */
    public QpAttributes.Builder readyToReceive(Endpoint peer, LinkSetup link) {
        return Transitions.readyToReceive(type(), link, peer.qp.qpn(), pathTo(peer));
    }

    /**
     * {@return all attributes of RTR to RTS of a reliable connection}
     *
     * @param link attributes of the connection
     */
    public static QpAttributes.Builder readyToSend(LinkSetup link) {
        return Transitions.readyToSend(QpType.RC, link);
    }

    private QpType type() {
        return qp.initAttributes().type();
    }

    /**
     * Moves from RESET to RTS. A datagram queue pair can then send to any peer, not to {@code peer} only.
     *
     * @param peer the other endpoint
     * @param link attributes of the connection
     */
    public void connectTo(Endpoint peer, LinkSetup link) {
        moveTo(QpState.INIT, peer, link);
        moveTo(QpState.RTR, peer, link);
        moveTo(QpState.RTS, peer, link);
    }

    /**
     * Executes one transition from RESET to RTS, or to a state that needs no attributes.
     *
     * @param state the next state
     * @param peer the other endpoint
     * @param link attributes of the connection
     */
    public void moveTo(QpState state, Endpoint peer, LinkSetup link) {
        qp.modify(
                switch (state) {
                    case INIT -> init().build();
                    case RTR -> readyToReceive(peer, link).build();
                    case RTS -> Transitions.readyToSend(type(), link).build();
                    default -> only(state);
                });
    }

    /**
     * Moves from RESET to {@code state} by the shortest path.
     *
     * @param state the state to reach
     * @param peer the other endpoint
     */
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

    /**
     * {@return attributes with a state only}
     *
     * @param state the next state
     */
    public static QpAttributes only(QpState state) {
        return QpAttributes.builder().state(state).build();
    }

    // Posting, with the allocation-free API

    /**
     * Posts a receive.
     *
     * @param wrId number of the request in its completion
     * @param offset of the buffer in {@link #memory}
     * @param length of the buffer, bytes
     */
    public void postReceive(long wrId, long offset, int length) {
        qp.startReceive()
                .receive(wrId)
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    /**
     * Posts a signalled SEND.
     *
     * @param wrId number of the request in its completion
     * @param offset of the message in {@link #memory}
     * @param length of the message, bytes
     */
    public void postSend(long wrId, long offset, int length) {
        qp.startSend()
                .wrId(wrId)
                .signaled()
                .send()
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    /**
     * {@return the address of a byte of the memory for the peer}
     *
     * @param offset in {@link #memory}
     */
    public long remote(long offset) {
        return mr.iova() + offset;
    }

    // Waiting

    /**
     * Waits for completed sends.
     *
     * @param count number of completions to wait for
     * @return the completions, with any status
     * @throws AssertionError if they do not come within {@link EndpointTarget#TIMEOUT}
     */
    public List<WorkCompletion> awaitSends(int count) {
        return await(sendCq, count);
    }

    /**
     * Waits for completed receives.
     *
     * @param count number of completions to wait for
     * @return the completions, with any status
     * @throws AssertionError if they do not come within {@link EndpointTarget#TIMEOUT}
     */
    public List<WorkCompletion> awaitReceives(int count) {
        return await(receiveCq, count);
    }

    /**
     * Waits for the next completed send.
     *
     * @return its completion
     * @throws AssertionError if it failed, or does not come within {@link EndpointTarget#TIMEOUT}
     */
    public WorkCompletion awaitSend() {
        return success(awaitSends(1).getFirst());
    }

    /**
     * Waits for the next completed receive.
     *
     * @return its completion
     * @throws AssertionError if it failed, or does not come within {@link EndpointTarget#TIMEOUT}
     */
    public WorkCompletion awaitReceive() {
        return success(awaitReceives(1).getFirst());
    }

    private static WorkCompletion success(WorkCompletion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new AssertionError("a request failed: " + completion);
        }
        return completion;
    }

    private List<WorkCompletion> await(CompletionQueue cq, int count) {
        List<WorkCompletion> all = new ArrayList<>();
        target.await(count + " completions of " + qp, () -> {
            all.addAll(cq.poll(count - all.size()));
            return all.size() >= count;
        });
        return all;
    }

    /** Closes all objects but the context. Idempotent. */
    @Override
    public void close() {
        qp.close();
        sendCq.close();
        receiveCq.close();
        mr.close();
        pd.close();
    }
}
