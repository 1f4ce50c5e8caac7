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
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/**
 * A server that uses one set of receive buffers for all its clients, a shared receive queue (SRQ), instead of one set
 * for each.
 */
public final class SharedReceiveServer {
    private static final int BUFFERS = 4;
    private static final int BUFFER_BYTES = 64;
    private static final int MESSAGES_EACH = 3;

    private SharedReceiveServer() {}

    public static void main(String[] args) {
        try (Context context = Rdma.open(Connection.DEVICE);
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion stock = pd.allocateMemory(BUFFERS * BUFFER_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
                CompletionQueue cq = context.createCq(BUFFERS);
                SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.basic(BUFFERS, 1));
                Client ann = new Client(pd, cq, srq);
                Client ben = new Client(pd, cq, srq);
                Client cleo = new Client(pd, cq, srq)) {
            for (int buffer = 0; buffer < BUFFERS; buffer++) {
                offer(srq, stock, buffer);
            }
            Map<Integer, String> names =
                    Map.of(ann.serversQpn(), "Ann", ben.serversQpn(), "Ben", cleo.serversQpn(), "Cleo");
            ann.send("a table, please");
            ben.send("two coffees");
            cleo.send("the bill");

            for (int i = 0; i < names.size() * MESSAGES_EACH; i++) {
                WorkCompletion received = Connection.await(cq);
                int buffer = (int) received.wrId();
                String text = stock.segment().getString((long) buffer * BUFFER_BYTES);
                System.out.printf("%s, in buffer %d: %s%n", names.get(received.qpNumber()), buffer, text);
                offer(srq, stock, buffer);
            }
            System.out.printf("%d buffers were enough for all%n", BUFFERS);
        }
    }

    /** Posts a buffer for the next message of any client; the request has the number of the buffer. */
    private static void offer(SharedReceiveQueue srq, MemoryRegion stock, int buffer) {
        srq.postReceive(ReceiveRequest.of(buffer, stock.sge((long) buffer * BUFFER_BYTES, BUFFER_BYTES)));
    }

    /** A client, and the server's queue pair for it. */
    private static final class Client implements AutoCloseable {
        private final MemoryRegion mr;
        private final CompletionQueue cq;
        private final QueuePair qp;
        private final QueuePair serversQp;

        Client(ProtectionDomain pd, CompletionQueue serversCq, SharedReceiveQueue srq) {
            mr = pd.allocateMemory(MESSAGES_EACH * BUFFER_BYTES, Set.of());
            cq = pd.context().createCq(MESSAGES_EACH);
            qp = pd.createQp(QpInitAttributes.builder(cq)
                    .capabilities(QpCapabilities.of(MESSAGES_EACH, 0))
                    .build());
            serversQp = pd.createQp(QpInitAttributes.builder(serversCq).srq(srq).build());
            Connection.connect(qp, serversQp);
        }

        int serversQpn() {
            return serversQp.qpn();
        }

        /** Sends a request without waiting for a free buffer: the device retries until there is one. */
        void send(String wish) {
            for (int i = 0; i < MESSAGES_EACH; i++) {
                String text = wish + "!".repeat(i);
                mr.segment().setString((long) i * BUFFER_BYTES, text);
                int length = text.getBytes(StandardCharsets.UTF_8).length + 1;
                qp.postSend(SendRequest.send()
                        .sge(mr.sge((long) i * BUFFER_BYTES, length))
                        .build());
            }
        }

        @Override
        public void close() {
            qp.close();
            serversQp.close();
            cq.close();
            mr.close();
        }
    }
}
