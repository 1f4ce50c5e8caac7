// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.tools.rdmacm.CmEnd;
import io.rdma4j.tools.rdmacm.CmTool;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs of a test that rdma_cm connects ({@code -R}). The server listens from the constructor on; both ends then
 * make their queue pairs one after the other. One thread.
 */
final class CmQueuePairs implements AutoCloseable {
    /** Q_Key of the datagram services of rdma_cm: {@code RDMA_UDP_QKEY}. */
    static final int UDP_QKEY = 0x0123_4567;

    private static final int GRH_BYTES = 40;
    private static final int RNR_RETRIES = 7;
    private static final int MIN_RNR_TIMER = 12;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final RdmaCm cm;
    private final PerfTest test;
    private final PerfOptions options;
    private final CmRoute route;
    private final @Nullable CmEnd listener;
    private final List<CmEnd> ends = new ArrayList<>();

    CmQueuePairs(RdmaCm cm, PerfTest test, PerfOptions options) throws ToolFailure {
        this.cm = cm;
        this.test = test;
        this.options = options;
        route = CmRoute.of(options, isDatagram(options) ? PortSpace.UDP : PortSpace.TCP);
        listener = options.isClient() ? null : route.listen(cm, options.load().queuePairs());
    }

    private static boolean isDatagram(PerfOptions options) {
        return options.connection().service() == QpType.UD;
    }

    /**
     * Makes and connects the next queue pair.
     *
     * @param outstandingReads of a test with READs or atomics
     */
    QueuePair next(
            ProtectionDomain pd,
            QpInitAttributes attributes,
            CompletionQueue sends,
            CompletionQueue receives,
            int outstandingReads)
            throws ToolFailure, InterruptedException {
        int resources = test.verb().isAnswered() || options.validate() ? outstandingReads : 0;
        ConnectParameters parameters = ConnectParameters.DEFAULT
                .withResources(resources, resources)
                .withRetryCounts(options.connection().retryCount(), RNR_RETRIES);
        CmEnd server = listener;
        QueuePair qp = server == null
                ? route.retry(() -> connect(pd, attributes, sends, parameters))
                : accept(server, pd, attributes, receives, parameters);
        if (server != null && ends.size() == options.load().queuePairs()) {
            server.close(); // A client with more queue pairs is rejected.
        }
        if (!isDatagram(options)) {
            qp.modify(QpAttributes.builder().minRnrTimer(MIN_RNR_TIMER).build());
        }
        return qp;
    }

    private QueuePair connect(
            ProtectionDomain pd, QpInitAttributes attributes, CompletionQueue sends, ConnectParameters parameters)
            throws ToolFailure, InterruptedException {
        CmEnd end = route.resolved(cm);
        try {
            QueuePair qp = end.id().createQp(pd, attributes);
            end.id().connect(parameters);
            DatagramPeer peer;
            try (ConnectionEvent event = end.next(ConnectionEventType.ESTABLISHED)) {
                peer = event.datagram();
            }
            if (tellsQueuePair()) {
                tellQueuePair(pd, qp, sends, Objects.requireNonNull(peer, "of an id for datagrams"));
            }
            ends.add(end);
            return qp;
        } catch (RdmaException e) {
            close(end);
            throw CmTool.failed("rdma_connect", e);
        } catch (ToolFailure | InterruptedException e) {
            close(end);
            throw e;
        }
    }

    private QueuePair accept(
            CmEnd server,
            ProtectionDomain pd,
            QpInitAttributes attributes,
            CompletionQueue receives,
            ConnectParameters parameters)
            throws ToolFailure, InterruptedException {
        CmEnd end = server.nextRequest(cm, LIMIT);
        try {
            QueuePair qp = end.id().createQp(pd, attributes);
            if (!isDatagram(options)) {
                end.id().accept(parameters);
                end.expect(ConnectionEventType.ESTABLISHED);
            } else if (tellsQueuePair()) {
                try (MemoryRegion region =
                        pd.allocateMemory(GRH_BYTES + Integer.BYTES, Set.of(AccessFlag.LOCAL_WRITE))) {
                    qp.postReceive(ReceiveRequest.of(0, region.sge(0, GRH_BYTES + Integer.BYTES)));
                    end.id().accept(parameters.withQueuePair(qp.qpn(), false));
                    await(receives);
                }
            } else {
                end.id().accept(parameters.withQueuePair(qp.qpn(), false));
            }
            ends.add(end);
            return qp;
        } catch (RdmaException e) {
            close(end);
            throw CmTool.failed("rdma_accept", e);
        } catch (ToolFailure | InterruptedException e) {
            close(end);
            throw e;
        }
    }

    /** True if the server sends datagrams, too, so that it must learn the client's queue pair by a first message. */
    private boolean tellsQueuePair() {
        return isDatagram(options) && (test.isLatency() || options.load().bidirectional());
    }

    private static void tellQueuePair(ProtectionDomain pd, QueuePair qp, CompletionQueue sends, DatagramPeer peer)
            throws ToolFailure, InterruptedException {
        try (MemoryRegion region = pd.allocateMemory(Integer.BYTES, Set.of(AccessFlag.LOCAL_WRITE));
                AddressHandle path = pd.createAddressHandle(peer.addressVector())) {
            region.segment().set(ValueLayout.JAVA_INT, 0, qp.qpn());
            qp.postSend(SendRequest.sendWithImmediate(qp.qpn())
                    .destination(path, peer.qpn(), peer.qkey())
                    .sge(region.sge(0, Integer.BYTES))
                    .signaled()
                    .build());
            await(sends);
        }
    }

    private static void await(CompletionQueue cq) throws ToolFailure, InterruptedException {
        List<WorkCompletion> found = cq.poll(1, LIMIT, WaitStrategy.PARK);
        if (found.isEmpty()) {
            throw new ToolFailure("Bad WQE status when trying to create AH for UD connection in RDMA CM: nothing came");
        }
        if (found.getFirst().status() != WcStatus.SUCCESS) {
            throw new ToolFailure("Bad WQE status when trying to create AH for UD connection in RDMA CM: "
                    + found.getFirst().status());
        }
    }

    private static void close(CmEnd end) {
        end.id().destroyQp();
        end.close();
    }

    /** Ends the connections. The queue pairs are closed already. */
    @Override
    public void close() {
        CmEnd server = listener;
        if (server != null) {
            server.close();
        }
        ends.forEach(CmEnd::close);
        ends.clear();
    }

    /** Disconnects, before the queue pairs are closed. */
    void disconnect() {
        ends.forEach(CmEnd::disconnect);
    }
}
