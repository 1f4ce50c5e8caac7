// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.tools.rdmacm.CmEnd;
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
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** An exchange over a reliable connection that rdma_cm has made: each message is one SEND. */
final class CmPeerLink implements PeerLink {
    private static final int BYTES = 256;
    private static final int RETRIES = 7;
    private static final Duration LOOK = Duration.ofMillis(50);

    /** A peer replies immediately, until the test runs. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private final CmEnd end;
    private final boolean client;
    private final ProtectionDomain pd;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final MemoryRegion region;
    private final QueuePair qp;
    private boolean waitsWithoutLimit;

    private CmPeerLink(CmEnd end, boolean client) {
        this.end = end;
        this.client = client;
        Context context = Objects.requireNonNull(end.id().verbs(), "an id with a device");
        pd = context.allocatePd();
        sends = context.createCq(1);
        receives = context.createCq(1);
        region = pd.allocateMemory(2 * BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        qp = end.id()
                .createQp(
                        pd,
                        QpInitAttributes.builder(sends, receives)
                                .capabilities(QpCapabilities.of(1, 1))
                                .build());
        postReceive();
    }

    /** Connects to a server, again as long as it does not listen. */
    static CmPeerLink connect(RdmaCm cm, PerfOptions options) throws ToolFailure, InterruptedException {
        CmRoute route = CmRoute.of(options, PortSpace.TCP);
        return route.retry(() -> {
            CmEnd end = route.resolved(cm);
            return opened(end, true, () -> end.id().connect(parameters()));
        });
    }

    /** Waits for a client. */
    static CmPeerLink accept(RdmaCm cm, PerfOptions options) throws ToolFailure, InterruptedException {
        CmEnd end;
        try (CmEnd listener = CmRoute.of(options, PortSpace.TCP).listen(cm, 1)) {
            end = listener.nextRequest(cm);
        }
        return opened(end, false, () -> end.id().accept(parameters()));
    }

    private static CmPeerLink opened(CmEnd end, boolean client, Runnable connect)
            throws ToolFailure, InterruptedException {
        CmPeerLink link = null;
        try {
            link = new CmPeerLink(end, client);
            connect.run();
            end.expect(ConnectionEventType.ESTABLISHED);
            return link;
        } catch (ToolFailure | InterruptedException | RuntimeException e) {
            if (link == null) {
                end.close();
            } else {
                link.close();
            }
            throw e;
        }
    }

    private static ConnectParameters parameters() {
        return ConnectParameters.DEFAULT.withResources(0, 0).withRetryCounts(RETRIES, RETRIES);
    }

    private void postReceive() {
        qp.postReceive(ReceiveRequest.of(1, region.sge(BYTES, BYTES)));
    }

    @Override
    public byte[] swap(byte[] mine) throws ToolFailure, InterruptedException {
        if (client) {
            send(mine);
            return receive(mine.length);
        }
        byte[] theirs = receive(mine.length);
        send(mine);
        return theirs;
    }

    private void send(byte[] message) throws ToolFailure, InterruptedException {
        MemorySegment.copy(message, 0, region.segment(), ValueLayout.JAVA_BYTE, 0, message.length);
        qp.postSend(SendRequest.send()
                .wrId(1)
                .sge(region.sge(0, message.length))
                .signaled()
                .build());
        await(sends);
    }

    private byte[] receive(int length) throws ToolFailure, InterruptedException {
        WorkCompletion completion = await(receives);
        if (completion.byteLength() < length) {
            throw new ToolFailure("The peer sends " + completion.byteLength() + " bytes where " + length
                    + " are expected: do both ends run the same test?");
        }
        byte[] message = region.segment().asSlice(BYTES, length).toArray(ValueLayout.JAVA_BYTE);
        postReceive();
        return message;
    }

    private WorkCompletion await(CompletionQueue cq) throws ToolFailure, InterruptedException {
        long startNs = System.nanoTime();
        boolean isEnded = false;
        while (true) {
            List<WorkCompletion> found = cq.poll(1, LOOK, WaitStrategy.PARK);
            if (!found.isEmpty()) {
                WorkCompletion completion = found.getFirst();
                if (completion.status() != WcStatus.SUCCESS) {
                    throw new ToolFailure("The exchange with the peer failed: " + completion.status());
                }
                return completion;
            }
            if (isEnded || !waitsWithoutLimit && System.nanoTime() - startNs > SILENCE.toNanos()) {
                throw new ToolFailure(
                        "The peer ended the exchange: see what it says, and whether it runs the same test");
            }
            // Once more, because its last message may have come before.
            isEnded = end.isDisconnected();
        }
    }

    @Override
    public boolean isBinary() {
        return true;
    }

    @Override
    public void waitWithoutLimit() {
        waitsWithoutLimit = true;
    }

    /** Nothing: the disconnection is the end. */
    @Override
    public void done() {}

    @Override
    public InetAddress localAddress() {
        return end.id().localAddress().getAddress();
    }

    @Override
    public InetAddress peerAddress() {
        return Objects.requireNonNull(end.id().peerAddress()).getAddress();
    }

    @Override
    public void close() {
        end.disconnect();
        end.id().destroyQp();
        sends.close();
        receives.close();
        region.close();
        pd.close();
        end.close();
    }
}
