// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.Ring;

/** The receive queue of one queue pair: the oldest request is processed in place and released when it has completed. */
final class OwnReceiveSource implements ReceiveSource {
    private final QpQueues queues;
    private Ring ring;
    private final Object protectionDomain;

    /** Slot of the oldest request, and the producer index that the device read last. */
    private int consumer;

    private int producer;

    OwnReceiveSource(QpQueues queues, Object protectionDomain) {
        this.queues = queues;
        this.ring = queues.receiveQueue().ring();
        this.protectionDomain = protectionDomain;
        begin();
    }

    @Override
    public boolean take(ReceiveWqe request) {
        if (consumer == producer) {
            producer = ring.acquireProducer();
        }
        if (consumer == producer && !moveOn()) {
            return false;
        }
        request.point(
                ring.memory(), ring.offset(consumer), queues.receiveQueue().maxSge());
        return true;
    }

    /** Moves on to the ring of a resize; true if a request is pending there. */
    private boolean moveOn() {
        if (!queues.receiveQueue().moveOn()) {
            return false;
        }
        ring = queues.receiveQueue().ring();
        begin();
        producer = ring.acquireProducer();
        return consumer != producer;
    }

    @Override
    public void release() {
        consumer = ring.next(consumer);
        ring.publishConsumer(consumer);
    }

    @Override
    public void reset() {
        queues.receiveQueue().clear();
        ring = queues.receiveQueue().ring();
        begin();
    }

    /** Continues at the consumer index of the ring; pending requests in it are not yet known. */
    private void begin() {
        consumer = ring.distance(ring.ownConsumer(), 0);
        producer = consumer;
    }

    @Override
    public int ownWaiting() {
        return queues.receiveQueue().waiting();
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public boolean isBroken() {
        return false;
    }

    @Override
    public Object protectionDomain() {
        return protectionDomain;
    }

    @Override
    public CompletionRing completions() {
        return queues.receiveCompletions();
    }
}
