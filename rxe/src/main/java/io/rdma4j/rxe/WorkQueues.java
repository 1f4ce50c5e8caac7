package io.rdma4j.rxe;

import io.rdma4j.transport.QpQueues;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.QpResources;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes the work queues of a queue pair. Answers to {@code rxe_qp_init_req} and {@code rxe_qp_init_resp}. */
final class WorkQueues {
    private WorkQueues() {}

    /** @param resources all made by this provider */
    static QpQueues make(QpCapabilities asked, QpResources resources) {
        SendQueue sends = new SendQueue(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData());
        ReceiveQueue receives = new ReceiveQueue(asked.maxReceiveWr(), asked.maxReceiveSge());
        return new QpQueues(sends, receives, ring(resources.sendCq()), ring(resources.receiveCq()));
    }

    private static CompletionRing ring(@Nullable CqOps cq) {
        return ((RxeCq) Objects.requireNonNull(cq)).ring();
    }

    /** What became of the sizes that were asked for. */
    static QpCapabilities sizes(QpQueues queues) {
        SendQueue sends = queues.sendQueue();
        ReceiveQueue receives = queues.receiveQueue();
        return new QpCapabilities(
                sends.ring().capacity(),
                receives.ring().capacity(),
                sends.maxSge(),
                receives.maxSge(),
                sends.maxInlineData());
    }
}
