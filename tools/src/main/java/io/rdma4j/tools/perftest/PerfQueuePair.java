// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One queue pair of a test, its memory and its peer's. Posts with the allocation-free API; the {@code wr_id} is the
 * queue pair's index. One thread.
 */
final class PerfQueuePair implements AutoCloseable {
    private static final int QKEY = 0x1111_1111;
    private static final int GRH_BYTES = 40;
    private static final int HOP_LIMIT = 0xFF;
    private static final int MIN_RNR_TIMER = 12;
    private static final int RNR_RETRIES = 7;

    /** Value that atomics add, or swap for 0. */
    private static final long ATOMIC_VALUE = 1;

    /** Destination queue pair number of multicast datagrams. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private static final int IMMEDIATE = 1;

    private final int index;
    private final QueuePair qp;

    /** The XRC target queue pair that receives from the peer; otherwise {@link #qp}. */
    private final QueuePair receiver;

    private final Verb verb;
    private final PerfOptions options;
    private final int lkey;
    private final int rkey;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final int headroom;
    private final @Nullable SharedReceiveQueue srq;

    private @Nullable AddressHandle path;
    private @Nullable PerfAddress remote;
    private int size;
    private boolean inline;
    private int qkey = QKEY;
    private MemorySegment message;
    private MessageSlots ring = new MessageSlots(0, 1);

    /**
     * Creates a queue pair in RESET.
     *
     * @param index of the queue pair in the test
     * @param qp closed with this object
     * @param receiver the same; in a bidirectional XRC test the target, which is closed with this object too
     * @param srq shared receive queue; null for its own queue
     * @param region contains {@code outgoing}, the memory to send from or to read into, and {@code incoming}, the
     *     peer's memory
     */
    PerfQueuePair(
            int index,
            QueuePair qp,
            QueuePair receiver,
            @Nullable SharedReceiveQueue srq,
            Verb verb,
            PerfOptions options,
            MemoryRegion region,
            MemorySegment outgoing,
            MemorySegment incoming) {
        this.index = index;
        this.qp = qp;
        this.receiver = receiver;
        this.srq = srq;
        this.verb = verb;
        this.options = options;
        this.lkey = region.lkey();
        this.rkey = region.rkey();
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.message = outgoing;
        this.headroom = options.connection().service() == QpType.UD ? GRH_BYTES : 0;
    }

    /** Moves RESET to INIT. */
    void init() throws ToolFailure {
        QpAttributes.Builder attributes = QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(options.connection().pkeyIndex())
                .port(options.connection().port());
        if (options.connection().service() == QpType.UD) {
            attributes.qkey(QKEY);
        } else {
            attributes.accessFlags(verb.queuePairRights());
        }
        modify(qp, "INIT", attributes);
        if (hasReceiver()) {
            modify(receiver, "INIT", attributes);
        }
    }

    /** True if another queue pair than {@link #qp} receives from the peer. */
    boolean hasReceiver() {
        return receiver.qpn() != qp.qpn();
    }

    private boolean isReliable() {
        QpType service = options.connection().service();
        return service == QpType.RC || service == QpType.XRC_INI;
    }

    /** Number of the shared queue that the peer's messages name; 0 without XRC. */
    private int srqNumber() {
        return srq != null && options.connection().service() == QpType.XRC_INI ? srq.number() : 0;
    }

    int qpn() {
        return qp.qpn();
    }

    PerfAddress address(int lid, int outstandingReads, int psn, Gid gid) {
        return address(qp, lid, outstandingReads, psn, gid);
    }

    /** Address of the receiving queue pair; requires {@link #hasReceiver}. */
    PerfAddress receiverAddress(int lid, int outstandingReads, int psn, Gid gid) {
        return address(receiver, lid, outstandingReads, psn, gid);
    }

    private PerfAddress address(QueuePair of, int lid, int outstandingReads, int psn, Gid gid) {
        return new PerfAddress(lid, outstandingReads, of.qpn(), psn, rkey, incoming.address(), gid, srqNumber());
    }

    /** Attaches the queue pair to a multicast group and returns the address for it. */
    PerfAddress joined(Gid group, int lid, int psn) throws ToolFailure {
        Attempt.run("Couldn't attach QP to MultiCast group", () -> qp.attachMulticast(group, lid));
        return new PerfAddress(lid, 0, MULTICAST_QPN, psn, rkey, incoming.address(), group, 0);
    }

    /**
     * Moves INIT to RTS.
     *
     * @param gidIndex slot of the port's GID table
     */
    void connect(PerfAddress local, PerfAddress peer, Mtu mtu, int gidIndex) throws ToolFailure {
        AddressVector vector = connect(qp, local, peer, mtu, gidIndex);
        if (options.connection().service() == QpType.UD) {
            path = Attempt.to("Failed to create AH", () -> qp.protectionDomain().createAddressHandle(vector));
        }
        remote = peer;
    }

    /** Takes the peer of a queue pair that rdma_cm has connected. */
    void meet(PerfAddress peer, int gidIndex) throws ToolFailure {
        if (options.connection().service() == QpType.UD) {
            qkey = CmQueuePairs.UDP_QKEY;
            path = Attempt.to(
                    "Failed to create AH", () -> qp.protectionDomain().createAddressHandle(vector(peer, gidIndex)));
        }
        remote = peer;
    }

    /** Moves the receiving queue pair to RTS; requires {@link #hasReceiver}. */
    void connectReceiver(PerfAddress local, PerfAddress peer, Mtu mtu, int gidIndex) throws ToolFailure {
        connect(receiver, local, peer, mtu, gidIndex);
    }

    private AddressVector vector(PerfAddress peer, int gidIndex) {
        GlobalRoute route = new GlobalRoute(
                peer.gid(), 0, gidIndex, HOP_LIMIT, options.connection().trafficClass());
        return new AddressVector(
                route,
                peer.lid(),
                options.connection().serviceLevel(),
                0,
                options.pacing().device(),
                options.connection().port());
    }

    private AddressVector connect(QueuePair which, PerfAddress local, PerfAddress peer, Mtu mtu, int gidIndex)
            throws ToolFailure {
        AddressVector vector = vector(peer, gidIndex);
        QpAttributes.Builder toRtr = QpAttributes.builder().state(QpState.RTR);
        QpAttributes.Builder toRts = QpAttributes.builder().state(QpState.RTS).sqPsn(local.psn());
        if (options.connection().service() != QpType.UD) {
            toRtr.addressVector(vector).pathMtu(mtu).destinationQpn(peer.qpn()).rqPsn(peer.psn());
        }
        if (isReliable()) {
            toRtr.maxDestRdAtomic(local.outstandingReads()).minRnrTimer(MIN_RNR_TIMER);
            toRts.timeout(options.connection().timeout())
                    .retryCount(options.connection().retryCount())
                    .rnrRetry(RNR_RETRIES)
                    .maxRdAtomic(Math.min(local.outstandingReads(), peer.outstandingReads()));
        }
        modify(which, "RTR", toRtr);
        modify(which, "RTS", toRts);
        return vector;
    }

    private static void modify(QueuePair which, String state, QpAttributes.Builder attributes) throws ToolFailure {
        Attempt.run("Failed to modify QP to " + state, () -> which.modify(attributes.build()));
    }

    /** Sets size and layout of the next messages. */
    void use(int sizeBytes, MessageSlots places) {
        size = sizeBytes;
        ring = places;
        inline = !verb.isAnswered() && sizeBytes <= options.load().inlineBytes();
        message = outgoing.asSlice(0, sizeBytes);
    }

    /** Memory of the messages to send; of the first one if there are several places. */
    MemorySegment message() {
        return message;
    }

    /** Memory that the messages or the peer's READs are read from. */
    MemorySegment source() {
        return verb == Verb.READ ? incoming : outgoing;
    }

    /** Memory that the bytes of the test are written to. */
    MemorySegment sink() {
        return verb == Verb.READ ? outgoing : incoming;
    }

    /** Memory that the peer writes. */
    MemorySegment incoming() {
        return incoming;
    }

    /**
     * Posts messages in one list.
     *
     * @param number of the first one, from 0
     * @param moderation each message whose number is one less than a multiple is signalled
     * @param last number of the last message, which is signalled too
     */
    void post(int count, long number, int moderation, long last) {
        SendBatch batch = qp.startSend();
        for (long n = number; n < number + count; n++) {
            batch.wrId(index);
            if ((n + 1) % moderation == 0 || n == last) {
                batch.signaled();
            }
            operation(batch, ring.offset(n));
        }
        batch.complete();
    }

    private void operation(SendBatch batch, long offset) {
        PerfAddress peer = remote;
        if (peer == null) {
            throw new IllegalStateException("not connected");
        }
        long place = peer.address() + offset;
        switch (verb) {
            case SEND -> {
                if (options.load().immediate()) {
                    batch.sendImm(IMMEDIATE);
                } else {
                    batch.send();
                }
            }
            case WRITE -> {
                if (options.load().immediate()) {
                    batch.rdmaWriteImm(peer.rkey(), place, IMMEDIATE);
                } else {
                    batch.rdmaWrite(peer.rkey(), place);
                }
            }
            case READ -> batch.rdmaRead(peer.rkey(), place);
            case ATOMIC -> {
                if (options.load().compareSwap()) {
                    batch.atomicCompareSwap(peer.rkey(), place, 0, ATOMIC_VALUE);
                } else {
                    batch.atomicFetchAdd(peer.rkey(), place, ATOMIC_VALUE);
                }
            }
        }
        if (path != null) {
            batch.destination(path, peer.qpn(), qkey);
        } else if (options.connection().service() == QpType.XRC_INI) {
            batch.xrcSrq(peer.srqn());
        }
        if (inline) {
            batch.inline(message);
        } else {
            batch.sge(lkey, outgoing.address() + offset, size);
        }
    }

    /**
     * Posts receives for messages of the current size.
     *
     * @param number of the first one, from 0
     */
    void postReceives(int count, long number) {
        ReceiveBatch batch = srq == null ? qp.startReceive() : srq.startReceive();
        for (long n = number; n < number + count; n++) {
            batch.receive(index).sge(lkey, incoming.address() + ring.offset(n), size + headroom);
        }
        batch.complete();
    }

    @Override
    public void close() {
        qp.close();
        if (hasReceiver()) {
            receiver.close();
        }
        if (path != null) {
            path.close();
        }
    }
}
