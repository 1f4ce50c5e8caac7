// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.connect;

import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One end of a connection: the id, and its queue pair as soon as there is one. */
final class ConnectEnd {
    private static final int BYTES = Integer.BYTES;
    private static final int SEND_AT = 8;

    private final RdmaId id;
    private final ConnectAttempt attempt;
    private final boolean isClient;
    private @Nullable ProtectionDomain pd;
    private @Nullable CompletionQueue cq;
    private @Nullable MemoryRegion region;
    private boolean established;
    private boolean decided;
    private boolean failed;
    private boolean sent;
    private boolean isClosed;

    /** Time at which the program acts, or NEVER. */
    long actsAtNs;

    ConnectEnd(RdmaId id, ConnectAttempt attempt, boolean isClient, long actsAtNs) {
        this.id = id;
        this.attempt = attempt;
        this.isClient = isClient;
        this.actsAtNs = actsAtNs;
    }

    RdmaId id() {
        return id;
    }

    ConnectAttempt attempt() {
        return attempt;
    }

    boolean isClient() {
        return isClient;
    }

    boolean isEstablished() {
        return established;
    }

    void establish() {
        established = true;
    }

    /** The program has decided about the request. */
    void decide() {
        decided = true;
    }

    boolean isDecided() {
        return decided;
    }

    /** A request has failed since the last call. */
    boolean hasFailed() {
        boolean result = failed;
        failed = false;
        return result;
    }

    /** A word has arrived at the peer since the last call. */
    boolean hasSent() {
        boolean result = sent;
        sent = false;
        return result;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Makes the queue pair, and posts the receive of the peer's word. */
    void createQp() {
        Context context = Objects.requireNonNull(id.verbs(), "an id with a device");
        ProtectionDomain domain = context.allocatePd();
        pd = domain;
        CompletionQueue queue = context.createCq(4);
        cq = queue;
        MemoryRegion memory = domain.allocateMemory(2 * SEND_AT, Set.of(AccessFlag.LOCAL_WRITE));
        region = memory;
        QueuePair qp = id.createQp(
                domain,
                QpInitAttributes.builder(queue)
                        .type(QpType.RC)
                        .capabilities(QpCapabilities.of(1, 1))
                        .build());
        qp.postReceive(ReceiveRequest.of(0, memory.sge(0, BYTES)));
    }

    void send(int word) {
        MemoryRegion memory = Objects.requireNonNull(region, "made with the queue pair");
        memory.segment().set(ValueLayout.JAVA_INT, SEND_AT, word);
        Objects.requireNonNull(id.qp(), "made before")
                .postSend(SendRequest.send()
                        .sge(memory.sge(SEND_AT, BYTES))
                        .signaled()
                        .build());
    }

    /** Returns the word of the peer if it has come, else null. Errors of completions are violations before a crash. */
    @Nullable
    Integer poll() {
        Integer word = null;
        CompletionQueue queue = cq;
        if (queue != null) {
            for (WorkCompletion completion : queue.poll(4)) {
                if (completion.status() == WcStatus.SUCCESS && completion.opcode() == WcOpcode.RECV) {
                    word = Objects.requireNonNull(region, "made with the queue")
                            .segment()
                            .get(ValueLayout.JAVA_INT, 0);
                } else if (completion.status() == WcStatus.SUCCESS) {
                    sent = true;
                } else if (completion.status() != WcStatus.WR_FLUSH_ERR) {
                    failed = true;
                    if (!attempt.hasCrashed()) {
                        attempt.violation("a request ended as " + completion);
                    }
                }
            }
        }
        return word;
    }

    @Override
    public String toString() {
        return (isClient ? "client" : "server") + " of " + attempt + ", " + id;
    }

    /** Closes the id and what belongs to it. */
    void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        id.close();
        if (cq != null) {
            cq.close();
        }
        if (region != null) {
            region.close();
        }
        if (pd != null) {
            pd.close();
        }
    }
}
