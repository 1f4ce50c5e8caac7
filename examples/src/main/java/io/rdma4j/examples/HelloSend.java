// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The first program: sends a message over a reliable connection (RC). Both ends are in this process, with one
 * completion queue each.
 */
public final class HelloSend {
    private static final int BUFFER_BYTES = 256;
    private static final int OUTGOING = 0;
    private static final int INCOMING = BUFFER_BYTES;

    private HelloSend() {}

    public static void main(String[] args) {
        try (Context context = Rdma.open(Connection.DEVICE);
                ProtectionDomain pd = context.allocatePd();
                // The device may access registered memory only; LOCAL_WRITE permits it to write received messages
                // there.
                MemoryRegion mr = pd.allocateMemory(2 * BUFFER_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
                CompletionQueue sendersCq = context.createCq(16);
                CompletionQueue receiversCq = context.createCq(16);
                QueuePair sender = pd.createQp(reliable(sendersCq));
                QueuePair receiver = pd.createQp(reliable(receiversCq))) {
            Connection.connect(sender, receiver);
            System.out.printf("queue pair %d is connected with %d%n", sender.qpn(), receiver.qpn());

            // The receiver determines where a message is written, so it must post a receive before the message arrives.
            receiver.postReceive(ReceiveRequest.of(1, mr.sge(INCOMING, BUFFER_BYTES)));

            MemorySegment memory = mr.segment();
            String text = "Hello, RDMA!";
            memory.setString(OUTGOING, text);
            int length = text.getBytes(StandardCharsets.UTF_8).length + 1; // including the terminating zero
            sender.postSend(SendRequest.send()
                    .wrId(2)
                    .sge(mr.sge(OUTGOING, length))
                    .signaled() // requests a completion
                    .build());

            WorkCompletion sent = Connection.await(sendersCq);
            System.out.printf("request %d, %s: %s%n", sent.wrId(), sent.opcode(), sent.status());
            WorkCompletion received = Connection.await(receiversCq);
            System.out.printf(
                    "request %d, %s: %s, %d bytes: \"%s\"%n",
                    received.wrId(),
                    received.opcode(),
                    received.status(),
                    received.byteLength(),
                    memory.getString(INCOMING));
        }
    }

    private static QpInitAttributes reliable(CompletionQueue cq) {
        return QpInitAttributes.builder(cq)
                .type(QpType.RC)
                .capabilities(QpCapabilities.of(1, 1))
                .build();
    }
}
