// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.Closers;
import io.rdma4j.tools.peer.ToolFailure;
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
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair and memory of one connection of {@code rping}. The ends tell each other where to read and write:
 *
 * <pre>
 *  0        8      12     16
 *  | address | rkey | size |   big endian
 * </pre>
 */
final class RpingBuffers implements AutoCloseable {
    private static final int MESSAGE_BYTES = 16;
    private static final int SEND_DEPTH = 16;
    private static final int RECEIVE_DEPTH = 2;
    private static final long RECEIVE = 1;
    private static final long SEND = 2;

    /** How often a thread that waits for a completion looks whether the peer has disconnected. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final CmEnd end;
    private final Closers closers = new Closers();
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final MemoryRegion incoming;
    private final MemoryRegion outgoing;

    /** Memory that the peer reads or writes, or into which this end reads. */
    private final MemoryRegion data;

    /** What the client sends; null at the server. */
    private final @Nullable MemoryRegion source;

    private int sent;
    private int received;

    /**
     * Makes everything and posts a receive.
     *
     * @param end whose id has a device
     */
    RpingBuffers(CmEnd end, RpingOptions options) throws ToolFailure {
        this.end = end;
        RdmaId id = end.id();
        Context context = Objects.requireNonNull(id.verbs(), "an id with a device");
        try {
            ProtectionDomain pd = context.allocatePd();
            closers.push("ibv_dealloc_pd", pd::close);
            incoming = pd.allocateMemory(MESSAGE_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
            closers.push("ibv_dereg_mr", incoming::close);
            outgoing = pd.allocateMemory(MESSAGE_BYTES, Set.of());
            closers.push("ibv_dereg_mr", outgoing::close);
            Set<AccessFlag> rights = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
            data = pd.allocateMemory(options.size(), rights);
            closers.push("ibv_dereg_mr", data::close);
            source = options.server() ? null : pd.allocateMemory(options.size(), rights);
            if (source != null) {
                closers.push("ibv_dereg_mr", source::close);
            }
            cq = context.createCq(2 * SEND_DEPTH);
            closers.push("ibv_destroy_cq", cq::close);
            QpInitAttributes attributes = QpInitAttributes.builder(cq)
                    .type(QpType.RC)
                    .capabilities(QpCapabilities.of(SEND_DEPTH, RECEIVE_DEPTH))
                    .signalType(SignalType.ALL_WR)
                    .build();
            if (options.ownQp()) {
                qp = pd.createQp(attributes);
                closers.push("ibv_destroy_qp", qp::close);
                qp.modify(id.initQpAttributes(QpState.INIT));
            } else {
                qp = id.createQp(pd, attributes);
                closers.push("rdma_destroy_qp", id::destroyQp);
            }
            postReceive();
        } catch (RdmaException e) {
            closers.closeAfter(e);
            throw CmTool.failed("rdma_create_qp", e);
        }
    }

    QueuePair qp() {
        return qp;
    }

    /**
     * The result of a connection.
     *
     * @param pings number of pings
     * @param elapsedNs time of all pings, ns
     */
    RpingResult result(int pings, long elapsedNs) {
        return new RpingResult(CmOutput.local(end.id(), qp.qpn()), CmOutput.remote(end.id()), pings, elapsedNs);
    }

    MemorySegment data() {
        return data.segment();
    }

    /** What the client sends. */
    MemorySegment source() {
        return client().segment();
    }

    private MemoryRegion client() {
        return Objects.requireNonNull(source, "the client has it");
    }

    private void postReceive() {
        qp.postReceive(ReceiveRequest.of(RECEIVE, incoming.sge(0, MESSAGE_BYTES)));
    }

    /** Moves a queue pair that the id does not know to RTS. */
    void connectOwn() {
        // Again, because the rights of the peer are known now.
        qp.modify(end.id().initQpAttributes(QpState.INIT));
        qp.modify(end.id().initQpAttributes(QpState.RTR));
        qp.modify(end.id().initQpAttributes(QpState.RTS));
    }

    /** Tells the server where the data of a ping is. */
    void sendSource() throws ToolFailure, InterruptedException {
        advertise(client());
    }

    /** Tells the server where to write the data of a ping. */
    void sendTarget() throws ToolFailure, InterruptedException {
        advertise(data);
    }

    /** Tells the client to go on. */
    void sendGo() throws ToolFailure, InterruptedException {
        advertise(data);
    }

    private void advertise(MemoryRegion region) throws ToolFailure, InterruptedException {
        MemorySegment message = outgoing.segment();
        message.set(LONG, 0, region.address());
        message.set(INT, 8, region.rkey());
        message.set(INT, 12, (int) region.segment().byteSize());
        qp.postSend(SendRequest.send()
                .wrId(SEND)
                .sge(outgoing.sge(0, MESSAGE_BYTES))
                .signaled()
                .build());
        awaitSend();
    }

    /** Reads the memory of which the last message tells; returns the number of bytes. */
    int read() throws ToolFailure, InterruptedException {
        MemorySegment message = incoming.segment();
        int bytes = message.get(INT, 12);
        if (bytes < 0 || bytes > data.segment().byteSize()) {
            throw new ToolFailure("the peer has " + bytes + " bytes, this end takes "
                    + data.segment().byteSize() + ": use the same -S at both ends");
        }
        qp.postSend(SendRequest.rdmaRead(message.get(INT, 8), message.get(LONG, 0))
                .wrId(SEND)
                .sge(data.sge(0, bytes))
                .signaled()
                .build());
        awaitSend();
        return bytes;
    }

    /** Writes to the memory of which the last message tells. */
    void write(int bytes) throws ToolFailure, InterruptedException {
        MemorySegment message = incoming.segment();
        qp.postSend(SendRequest.rdmaWrite(message.get(INT, 8), message.get(LONG, 0))
                .wrId(SEND)
                .sge(data.sge(0, bytes))
                .signaled()
                .build());
        awaitSend();
    }

    /**
     * Waits for a message, and posts the next receive.
     *
     * @return false if the peer has disconnected
     */
    boolean awaitMessage() throws ToolFailure, InterruptedException {
        while (received == 0) {
            if (!progress()) {
                return false;
            }
        }
        received--;
        return true;
    }

    private void awaitSend() throws ToolFailure, InterruptedException {
        while (sent == 0) {
            if (!progress()) {
                throw new ToolFailure("the peer has disconnected in the middle of a ping");
            }
        }
        sent--;
    }

    /** Waits for a completion; false if the peer has disconnected. */
    private boolean progress() throws ToolFailure, InterruptedException {
        List<WorkCompletion> completions = cq.poll(1, LOOK, WaitStrategy.PARK);
        if (completions.isEmpty()) {
            return !end.isDisconnected();
        }
        WorkCompletion completion = completions.getFirst();
        if (completion.status() == WcStatus.WR_FLUSH_ERR) {
            return false;
        }
        if (completion.status() != WcStatus.SUCCESS) {
            throw new ToolFailure(
                    "cq completion failed status " + completion.status().code());
        }
        if (completion.wrId() == SEND) {
            sent++;
        } else if (completion.byteLength() != MESSAGE_BYTES) {
            throw new ToolFailure("Received bogus data, size " + completion.byteLength());
        } else {
            received++;
            postReceive();
        }
        return true;
    }

    @Override
    public void close() throws ToolFailure {
        closers.close();
    }
}
