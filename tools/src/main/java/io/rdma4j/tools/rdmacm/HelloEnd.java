// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.RdmaId;
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
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** One end of {@code rdma_client} and {@code rdma_server}: a message of 16 zero bytes in each direction. */
final class HelloEnd implements AutoCloseable {
    private static final int BYTES = 16;
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final RdmaId id;
    private final ProtectionDomain pd;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final MemoryRegion region;

    /** Makes the queue pair and posts the receive. */
    HelloEnd(RdmaId id) {
        this.id = id;
        Context context = Objects.requireNonNull(id.verbs(), "an id with a device");
        pd = context.allocatePd();
        sends = context.createCq(1);
        receives = context.createCq(1);
        region = pd.allocateMemory(BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        QueuePair qp = id.createQp(
                pd,
                QpInitAttributes.builder(sends, receives)
                        .type(QpType.RC)
                        .capabilities(new QpCapabilities(1, 1, 1, 1, BYTES))
                        .signalType(SignalType.ALL_WR)
                        .build());
        qp.postReceive(ReceiveRequest.of(1, region.sge(0, BYTES)));
    }

    void connect() {
        id.connect(ConnectParameters.DEFAULT);
    }

    void accept() {
        id.accept(ConnectParameters.DEFAULT);
    }

    void send() throws ToolFailure, InterruptedException {
        Objects.requireNonNull(id.qp(), "made by the constructor")
                .postSend(SendRequest.send()
                        .wrId(1)
                        .inlineData(region.segment().asSlice(0, BYTES).fill((byte) 0))
                        .signaled()
                        .build());
        await("rdma_get_send_comp", sends);
    }

    void receive() throws ToolFailure, InterruptedException {
        await("rdma_get_recv_comp", receives);
    }

    private static void await(String call, CompletionQueue cq) throws ToolFailure, InterruptedException {
        List<WorkCompletion> completions = List.of();
        while (completions.isEmpty()) {
            completions = cq.poll(1, LOOK, WaitStrategy.PARK);
        }
        WcStatus status = completions.getFirst().status();
        if (status != WcStatus.SUCCESS) {
            throw new ToolFailure(call + ": " + status);
        }
    }

    @Override
    public void close() {
        id.destroyQp();
        sends.close();
        receives.close();
        region.close();
        pd.close();
    }
}
