package io.rdma4j.rxe;

import io.rdma4j.transport.QpQueues;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.Ring;
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
        boolean receiving = attributes.type().hasReceiveQueue() && resources.srq() == null;
        SegmentAllocator memory =
                Objects.requireNonNullElseGet(attributes.queueMemory(), () -> oneBlock(asked, receiving));
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

    /** Room for both queues, which lives as long as somebody refers to one. Two blocks, and what keeps account of them, would be twice as much. */
    private static SegmentAllocator oneBlock(QpCapabilities asked, boolean receiving) {
        long sends = SendQueue.bytes(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData());
        long receives = receiving ? ReceiveQueue.bytes(asked.maxReceiveWr(), asked.maxReceiveSge()) : 0;
        return SegmentAllocator.slicingAllocator(Arena.ofAuto().allocate(sends + receives, Ring.ALIGNMENT));
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
