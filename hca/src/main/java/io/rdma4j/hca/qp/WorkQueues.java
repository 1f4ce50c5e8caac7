// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.SegmentAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Creates and resizes the work queues of a queue pair. Corresponds to {@code rxe_qp_init_req} and
 * {@code rxe_qp_init_resp}.
 */
public final class WorkQueues {
    private WorkQueues() {}

    /**
     * Creates the queues of a queue pair that its type has.
     *
     * @param sendCompletions null exactly if the type has no send queue
     * @param receiveCompletions null exactly if the type has no receives
     * @param shared the shared receive queue, if it uses one
     */
    public static QpQueues make(
            QpSetup attributes,
            @Nullable CompletionRing sendCompletions,
            @Nullable CompletionRing receiveCompletions,
            @Nullable SharedReceiveState shared) {
        if (sendCompletions == null) {
            return QpQueues.target();
        }
        QpCapabilities asked = attributes.capabilities();
        @Nullable SegmentAllocator memory = attributes.queueMemory();
        SendQueue sends = new SendQueue(asked.maxSendWr(), asked.maxSendSge(), asked.maxInlineData(), memory);
        if (receiveCompletions == null) {
            return QpQueues.initiator(sends, sendCompletions);
        }
        return shared != null
                ? QpQueues.shared(sends, sendCompletions, shared, receiveCompletions)
                : new QpQueues(
                        sends,
                        new ReceiveQueue(asked.maxReceiveWr(), asked.maxReceiveSge(), memory),
                        sendCompletions,
                        receiveCompletions);
    }

    /**
     * Moves the queues to rings of other sizes. Called by the owner of the loop while no thread posts.
     *
     * @throws RdmaException EINVAL if more requests wait than the new queue can hold, or if scatter/gather elements or
     *     inline data exceed the values at creation; nothing is changed then
     */
    public static void resize(QpQueues queues, QpSetup attributes, QpCapabilities wanted) {
        QpCapabilities now = sizes(queues, attributes.type());
        checkFixed("max_send_sge", wanted.maxSendSge(), now.maxSendSge());
        checkFixed("max_recv_sge", wanted.maxReceiveSge(), now.maxReceiveSge());
        checkFixed("max_inline_data", wanted.maxInlineData(), now.maxInlineData());
        boolean sending = isSending(attributes.type());
        boolean receiving = isReceiving(queues, attributes.type());
        if (sending) {
            queues.sendQueue().checkResize(wanted.maxSendWr());
        }
        if (receiving) {
            queues.receiveQueue().checkResize(wanted.maxReceiveWr());
        }
        @Nullable SegmentAllocator memory = attributes.queueMemory();
        if (sending) {
            queues.sendQueue().resize(wanted.maxSendWr(), memory);
        }
        if (receiving) {
            queues.receiveQueue().resize(wanted.maxReceiveWr(), memory);
        }
    }

    private static void checkFixed(String attribute, int wanted, int now) {
        if (wanted > now) {
            throw new RdmaException(
                    Errno.EINVAL, attribute + " " + wanted + ": the queue pair was made with " + now + ", which stays");
        }
    }

    private static boolean isSending(QpType type) {
        return type != QpType.XRC_TGT;
    }

    private static boolean isReceiving(QpQueues queues, QpType type) {
        return type.hasReceiveQueue() && queues.shared() == null;
    }

    /** Returns the actual sizes; 0 for a queue that does not exist. */
    public static QpCapabilities sizes(QpQueues queues, QpType type) {
        SendQueue sends = queues.sendQueue();
        ReceiveQueue receives = queues.receiveQueue();
        boolean sending = isSending(type);
        boolean receiving = isReceiving(queues, type);
        return new QpCapabilities(
                sending ? sends.postingRing().capacity() : 0,
                receiving ? receives.postingRing().capacity() : 0,
                sending ? sends.maxSge() : 0,
                receiving ? receives.maxSge() : 0,
                sending ? sends.maxInlineData() : 0);
    }
}
