// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A ticket counter in the server's memory: clients take tickets by fetch-and-add, and no ticket is issued twice. */
public final class AtomicCounter {
    private static final int TICKETS_EACH = 250;

    private AtomicCounter() {}

    public static void main(String[] args) throws Exception {
        try (Context context = Rdma.open(Connection.DEVICE);
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion counter =
                        pd.allocateMemory(Long.BYTES, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
                Client ann = new Client(pd, counter);
                Client ben = new Client(pd, counter);
                Client cleo = new Client(pd, counter);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Callable<List<Long>>> tasks = List.of(ann::takeTickets, ben::takeTickets, cleo::takeTickets);
            Set<Long> tickets = new HashSet<>();
            for (Future<List<Long>> client : threads.invokeAll(tasks)) {
                tickets.addAll(client.get());
            }
            System.out.printf("%d clients took %d tickets, all different%n", tasks.size(), tickets.size());
            System.out.println("the counter says " + counter.segment().get(ValueLayout.JAVA_LONG, 0));

            System.out.println("Ann sets it back, and finds " + ann.compareAndSwap(tickets.size(), 0));
            System.out.println("Ben does the same, too late, and finds " + ben.compareAndSwap(tickets.size(), 0));
        }
    }

    /** A client's queue pair with its peer in the server, and memory for the original value that an atomic returns. */
    private static final class Client implements AutoCloseable {
        private final MemoryRegion counter;
        private final MemoryRegion fetched;
        private final CompletionQueue cq;
        private final QueuePair qp;
        private final QueuePair serversQp;

        Client(ProtectionDomain pd, MemoryRegion counter) {
            this.counter = counter;
            fetched = pd.allocateMemory(Long.BYTES, Set.of(AccessFlag.LOCAL_WRITE));
            cq = pd.context().createCq(1);
            qp = pd.createQp(QpInitAttributes.builder(cq).build());
            serversQp = pd.createQp(QpInitAttributes.builder(cq).build());
            Connection.connect(qp, serversQp);
        }

        List<Long> takeTickets() {
            List<Long> tickets = new ArrayList<>();
            for (int i = 0; i < TICKETS_EACH; i++) {
                tickets.add(perform(SendRequest.atomicFetchAdd(counter.rkey(), counter.iova(), 1)));
            }
            return tickets;
        }

        /** Returns the original value; the exchange took place if it is {@code expected}. */
        long compareAndSwap(long expected, long value) {
            return perform(SendRequest.atomicCompareSwap(counter.rkey(), counter.iova(), expected, value));
        }

        private long perform(SendRequest.Builder atomic) {
            qp.postSend(atomic.sge(fetched.sge(0, Long.BYTES)).signaled().build());
            Connection.await(cq);
            return fetched.segment().get(ValueLayout.JAVA_LONG, 0);
        }

        @Override
        public void close() {
            qp.close();
            serversQp.close();
            cq.close();
            fetched.close();
        }
    }
}
