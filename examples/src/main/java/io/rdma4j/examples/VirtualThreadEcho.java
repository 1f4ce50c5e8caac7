// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.verbs.CompletionChannel;
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
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An echo server with blocking calls. Each end of each connection has a virtual thread, which blocks on a completion
 * channel until a request completes.
 */
public final class VirtualThreadEcho {
    private static final int CONNECTIONS = 50;
    private static final int ROUNDS = 4;

    private VirtualThreadEcho() {}

    public static void main(String[] args) throws Exception {
        try (Context context = Rdma.open(Connection.DEVICE);
                ProtectionDomain pd = context.allocatePd();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                int number = i;
                clients.add(threads.submit(() -> converse(pd, number, threads)));
            }
            int echoes = 0;
            for (Future<Integer> client : clients) {
                echoes += client.get();
            }
            System.out.printf("%d connections, %d echoes, a virtual thread at each end%n", clients.size(), echoes);
        }
    }

    /** Opens a connection, sends requests, and counts the correct replies. */
    private static int converse(ProtectionDomain pd, int number, ExecutorService threads) throws Exception {
        try (End client = new End(pd);
                End server = new End(pd)) {
            Connection.connect(client.qp, server.qp);
            server.postReceive();
            Future<?> echo = threads.submit(() -> echo(server));
            int right = 0;
            for (int round = 0; round < ROUNDS; round++) {
                int question = number * ROUNDS + round;
                client.postReceive();
                client.send(question);
                right += client.receive() == question ? 1 : 0;
            }
            echo.get();
            return right;
        }
    }

    private static Void echo(End server) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            int question = server.receive();
            server.postReceive();
            server.send(question);
        }
        return null;
    }

    /** One end of a connection, for one thread. Its methods block until the request has completed. */
    private static final class End implements AutoCloseable {
        private static final int OUTGOING = 0;
        private static final int INCOMING = Integer.BYTES;

        private final MemoryRegion mr;
        private final CompletionChannel channel;
        private final CompletionQueue sends;
        private final CompletionQueue receives;
        final QueuePair qp;

        End(ProtectionDomain pd) {
            mr = pd.allocateMemory(2 * Integer.BYTES, Set.of(AccessFlag.LOCAL_WRITE));
            channel = pd.context().createCompletionChannel();
            sends = pd.context().createCq(1, channel);
            receives = pd.context().createCq(1, channel);
            qp = pd.createQp(QpInitAttributes.builder(sends, receives).build());
        }

        void postReceive() {
            qp.postReceive(ReceiveRequest.of(0, mr.sge(INCOMING, Integer.BYTES)));
        }

        void send(int value) throws InterruptedException {
            mr.segment().set(ValueLayout.JAVA_INT, OUTGOING, value);
            qp.postSend(SendRequest.send()
                    .sge(mr.sge(OUTGOING, Integer.BYTES))
                    .signaled()
                    .build());
            await(sends);
        }

        int receive() throws InterruptedException {
            await(receives);
            return mr.segment().get(ValueLayout.JAVA_INT, INCOMING);
        }

        /** Blocks until a request has completed. */
        private void await(CompletionQueue cq) throws InterruptedException {
            List<WorkCompletion> completions = cq.poll(1);
            while (completions.isEmpty()) {
                // The event covers completions after this call; earlier ones must be polled.
                if (!cq.requestNotification(false)) {
                    channel.getEvent().acknowledgeEvents(1);
                }
                completions = cq.poll(1);
            }
            Connection.checked(completions.getFirst());
        }

        @Override
        public void close() {
            qp.close();
            receives.close();
            sends.close();
            channel.close();
            mr.close();
        }
    }
}
