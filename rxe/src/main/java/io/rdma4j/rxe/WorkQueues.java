package io.rdma4j.rxe;

import io.rdma4j.transport.QpQueues;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.QpResources;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes the work queues of a queue pair. Answers to {@code rxe_qp_init_req} and {@code rxe_qp_init_resp}. */
final class WorkQueues {
    private WorkQueues() {}

    /** @param resources all made by this provider */
    static QpQueues make(QpInitAttributes attributes, QpResources resources) {
        if (attributes.type() == QpType.XRC_TGT) {
            return QpQueues.target();
        }
        QpCapabilities asked = attributes.capabilities();
        SegmentAllocator memory = Objects.requireNonNullElseGet(attributes.queueMemory(), Arena::ofAuto);
        SendQueue sends = new SendQueue(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData(), memory);
        CompletionRing sendCompletions = ring(resources.sendCq());
        if (attributes.type() == QpType.XRC_INI) {
            return QpQueues.initiator(sends, sendCompletions);
        }
        CompletionRing receiveCompletions = ring(resources.receiveCq());
        return resources.srq() instanceof RxeSrq srq
                ? QpQueues.shared(sends, sendCompletions, srq.receives(), receiveCompletions)
                : new QpQueues(
                        sends,
                        new ReceiveQueue(asked.maxReceiveWr(), asked.maxReceiveSge(), memory),
                        sendCompletions,
                        receiveCompletions);
    }

    private static CompletionRing ring(@Nullable CqOps cq) {
        return ((RxeCq) Objects.requireNonNull(cq)).ring();
    }

    /** What became of the sizes that were asked for; 0 for a queue that there is none of. */
    static QpCapabilities sizes(QpQueues queues, QpType type) {
        SendQueue sends = queues.sendQueue();
        ReceiveQueue receives = queues.receiveQueue();
        boolean sending = type != QpType.XRC_TGT;
        boolean receiving = type.hasReceiveQueue() && queues.shared() == null;
        return new QpCapabilities(
                sending ? sends.ring().capacity() : 0,
                receiving ? receives.ring().capacity() : 0,
                sending ? sends.maxSge() : 0,
                receiving ? receives.maxSge() : 0,
                sending ? sends.maxInlineData() : 0);
    }
}
