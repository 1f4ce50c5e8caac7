package io.rdma4j.tools.perftest;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.GlobalRoute;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SharedReceiveQueue;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One queue pair of a test, its memory and its peer's. Posts through the allocation-free door; work requests have the queue pair's
 * index as their number. Belongs to one thread.
 */
final class PerfQueuePair implements AutoCloseable {
    private static final int QKEY = 0x1111_1111;
    private static final int GRH_BYTES = 40;
    private static final int HOP_LIMIT = 0xFF;
    private static final int MIN_RNR_TIMER = 12;
    private static final int RNR_RETRIES = 7;

    /** What atomics add, or put in the place of 0. */
    private static final long ATOMIC_VALUE = 1;

    /** Datagrams to a group have this queue pair number. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private static final int IMMEDIATE = 1;

    private final int index;
    private final QueuePair qp;
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
    private MemorySegment message;
    private Ring ring = new Ring(0, 1);

    /**
     * A queue pair in RESET.
     *
     * @param index of it in the test
     * @param qp closed with this
     * @param srq from which it receives; null for its own queue
     * @param region of {@code outgoing}, from which it sends or into which it reads, and {@code incoming}, which is the peer's
     */
    PerfQueuePair(
            int index,
            QueuePair qp,
            @Nullable SharedReceiveQueue srq,
            Verb verb,
            PerfOptions options,
            MemoryRegion region,
            MemorySegment outgoing,
            MemorySegment incoming) {
        this.index = index;
        this.qp = qp;
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

    /** RESET to INIT. */
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
        modify("INIT", attributes);
    }

    int qpn() {
        return qp.qpn();
    }

    PerfAddress address(int lid, int outstandingReads, int psn, Gid gid) {
        return new PerfAddress(lid, outstandingReads, qp.qpn(), psn, rkey, incoming.address(), gid, 0);
    }

    /** The same for a queue pair that gets what is sent to a group; it belongs to the group from then on. */
    PerfAddress joined(Gid group, int lid, int psn) throws ToolFailure {
        Attempt.run("Couldn't attach QP to MultiCast group", () -> qp.attachMulticast(group, lid));
        return new PerfAddress(lid, 0, MULTICAST_QPN, psn, rkey, incoming.address(), group, 0);
    }

    /**
     * INIT to RTS.
     *
     * @param gidIndex slot of the port's GID table
     */
    void connect(PerfAddress local, PerfAddress peer, Mtu mtu, int gidIndex) throws ToolFailure {
        GlobalRoute route = new GlobalRoute(
                peer.gid(), 0, gidIndex, HOP_LIMIT, options.connection().trafficClass());
        AddressVector vector = new AddressVector(
                route,
                peer.lid(),
                options.connection().serviceLevel(),
                0,
                options.pacing().device(),
                options.connection().port());
        QpAttributes.Builder toRtr = QpAttributes.builder().state(QpState.RTR);
        QpAttributes.Builder toRts = QpAttributes.builder().state(QpState.RTS).sqPsn(local.psn());
        if (options.connection().service() != QpType.UD) {
            toRtr.addressVector(vector).pathMtu(mtu).destinationQpn(peer.qpn()).rqPsn(peer.psn());
        }
        if (options.connection().service() == QpType.RC) {
            toRtr.maxDestRdAtomic(local.outstandingReads()).minRnrTimer(MIN_RNR_TIMER);
            toRts.timeout(options.connection().timeout())
                    .retryCount(options.connection().retryCount())
                    .rnrRetry(RNR_RETRIES)
                    .maxRdAtomic(Math.min(local.outstandingReads(), peer.outstandingReads()));
        }
        modify("RTR", toRtr);
        modify("RTS", toRts);
        if (options.connection().service() == QpType.UD) {
            path = Attempt.to("Failed to create AH", () -> qp.protectionDomain().createAddressHandle(vector));
        }
        remote = peer;
    }

    private void modify(String state, QpAttributes.Builder attributes) throws ToolFailure {
        Attempt.run("Failed to modify QP to " + state, () -> qp.modify(attributes.build()));
    }

    /** What is sent from now on. */
    void use(int sizeBytes, Ring places) {
        size = sizeBytes;
        ring = places;
        inline = !verb.isAnswered() && sizeBytes <= options.load().inlineBytes();
        message = outgoing.asSlice(0, sizeBytes);
    }

    /** From where messages are sent; if it is a ring, the first one. */
    MemorySegment message() {
        return message;
    }

    /** Where the bytes of the test come from: what is sent, or what the peer reads. */
    MemorySegment source() {
        return verb == Verb.READ ? incoming : outgoing;
    }

    /** Where the bytes of the test arrive. */
    MemorySegment sink() {
        return verb == Verb.READ ? outgoing : incoming;
    }

    /** What the peer writes. */
    MemorySegment incoming() {
        return incoming;
    }

    /**
     * Posts messages in one list.
     *
     * @param number of the first one, from 0
     * @param moderation each message whose number is one less than a multiple gives a completion
     * @param last and so does this one
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
            batch.destination(path, peer.qpn(), QKEY);
        }
        if (inline) {
            batch.inline(message);
        } else {
            batch.sge(lkey, outgoing.address() + offset, size);
        }
    }

    /**
     * Posts receives for messages of the size in use.
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
        if (path != null) {
            path.close();
        }
    }
}
