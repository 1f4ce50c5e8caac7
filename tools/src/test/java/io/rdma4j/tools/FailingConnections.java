// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A program that knows nothing of recordings. {@code NAME} of a device: one connection whose peer posts no receive, and
 * one whose peer does not exist. Both give up.
 */
final class FailingConnections {
    private static final int NOBODY = 0xABCDEF;

    private FailingConnections() {}

    public static void main(String[] args) throws InterruptedException {
        QpAttributes shortTimeouts = QpAttributes.builder()
                .timeout(10)
                .retryCount(2)
                .rnrRetry(1)
                .minRnrTimer(1)
                .build();
        try (Context context = Rdma.open(args[0]);
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion memory = pd.allocateMemory(64, Set.of(AccessFlag.LOCAL_WRITE));
                CompletionQueue cq = context.createCq(16);
                QueuePair unready = pd.createQp(QpInitAttributes.builder(cq).build());
                QueuePair lonely = pd.createQp(QpInitAttributes.builder(cq).build())) {
            QpAddress self = QpAddress.of(unready, 1, 0);
            unready.connect(self, self, shortTimeouts);
            QpAddress own = QpAddress.of(lonely, 1, 0);
            lonely.connect(own, new QpAddress(own.gid(), NOBODY, 0), shortTimeouts);
            for (QueuePair qp : List.of(unready, lonely)) {
                qp.postSend(SendRequest.send().sge(memory.sge()).signaled().build());
                List<WorkCompletion> done = cq.poll(1);
                while (done.isEmpty()) {
                    done = cq.poll(1);
                }
                System.out.println(done.getFirst().status());
            }
            // The counters of an open device are recorded each second.
            context.getAsyncEvent(Duration.ofSeconds(3));
        }
    }
}
