package io.rdma4j.examples;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** A message over a reliable connection (RC): the first program. Both ends are in this process, each with a completion queue. */
public final class HelloSend {
    private static final int BUFFER_BYTES = 256;
    private static final int OUTGOING = 0;
    private static final int INCOMING = BUFFER_BYTES;

    private HelloSend() {}

    public static void main(String[] args) {
        try (Context context = Rdma.open(Connection.DEVICE);
                ProtectionDomain pd = context.allocatePd();
                // The device may touch registered memory only; LOCAL_WRITE lets it put there what arrives.
                MemoryRegion mr = pd.allocateMemory(2 * BUFFER_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
                CompletionQueue sendersCq = context.createCq(16);
                CompletionQueue receiversCq = context.createCq(16);
                QueuePair sender = pd.createQp(reliable(sendersCq));
                QueuePair receiver = pd.createQp(reliable(receiversCq))) {
            Connection.connect(sender, receiver);
            System.out.printf("queue pair %d is connected with %d%n", sender.qpn(), receiver.qpn());

            // A message goes where the receiver wants it, so it must say so before.
            receiver.postReceive(ReceiveRequest.of(1, mr.sge(INCOMING, BUFFER_BYTES)));

            MemorySegment memory = mr.segment();
            String text = "Hello, RDMA!";
            memory.setString(OUTGOING, text);
            int length = text.getBytes(StandardCharsets.UTF_8).length + 1; // with the zero at the end of the string
            sender.postSend(SendRequest.send()
                    .wrId(2)
                    .sge(mr.sge(OUTGOING, length))
                    .signaled() // so that it completes with a word
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
