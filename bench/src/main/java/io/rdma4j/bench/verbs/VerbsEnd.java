// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.verbs;

import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;
import java.util.Set;

/** One end of a reliable connection over the verbs; posts with the allocation-free API. */
public final class VerbsEnd implements AutoCloseable {
    private static final int PORT = 1;
    private static final int GID_INDEX = 0;
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

    private final Context context;
    private final QueuePair qp;

    /**
     * Creates the queue pair, in RESET.
     *
     * @param cq completion queue of its sends and receives
     * @param depth entries of its queues
     */
    public VerbsEnd(Context context, ProtectionDomain pd, CompletionQueue cq, int depth) {
        this(context, pd, cq, cq, depth);
    }

    /**
     * Creates the queue pair, in RESET.
     *
     * @param sends completion queue of its sends
     * @param receives completion queue of its receives
     * @param depth entries of its queues
     */
    public VerbsEnd(Context context, ProtectionDomain pd, CompletionQueue sends, CompletionQueue receives, int depth) {
        this.context = context;
        this.qp = pd.createQp(QpInitAttributes.builder(sends, receives)
                .capabilities(new QpCapabilities(depth, depth, 1, 1, 0))
                .build());
    }

    /** Moves RESET to RTS. */
    public void connectTo(VerbsEnd peer) {
        connectTo(peer, LinkSetup.DEFAULT);
    }

    /** Moves RESET to RTS with other attributes of the connection. */
    public void connectTo(VerbsEnd peer, LinkSetup link) {
        AddressVector path = AddressVector.roce(PORT, peer.context.queryGid(PORT, GID_INDEX), GID_INDEX);
        Transitions.connect(qp, RIGHTS, link, peer.qp.qpn(), path);
    }

    /** Posts a signalled SEND. */
    public void postSend(int lkey, long address, int bytes) {
        qp.startSend().signaled().send().sge(lkey, address, bytes).complete();
    }

    /** Posts a signalled WRITE. */
    public void postWrite(int lkey, long address, int bytes, int rkey, long remoteAddress) {
        qp.startSend()
                .signaled()
                .rdmaWrite(rkey, remoteAddress)
                .sge(lkey, address, bytes)
                .complete();
    }

    /** Posts a receive. */
    public void postReceive(int lkey, long address, int bytes) {
        qp.startReceive().receive(0).sge(lkey, address, bytes).complete();
    }

    /** Polls a completion queue, which drives the device; returns the number of completed requests. */
    public static int poll(CompletionQueue cq) {
        int count = 0;
        try (CompletionCursor completion = cq.startPoll()) {
            while (completion.next()) {
                if (completion.status() != WcStatus.SUCCESS) {
                    throw new IllegalStateException("completed with " + completion.status());
                }
                count++;
            }
        }
        return count;
    }

    @Override
    public void close() {
        qp.close();
    }
}
