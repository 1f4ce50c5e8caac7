// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.Ring;

/** The receive queue of one queue pair: the oldest request is processed in place and released when it has completed. */
final class OwnReceiveSource implements ReceiveSource {
    private final ReceiveQueue queue;
    private Ring ring;
    private final Object protectionDomain;
    private final CompletionRing completions;

    /** Slot of the oldest request, and the producer index that the device read last. */
    private int consumer;

    private int producer;

    OwnReceiveSource(ReceiveQueue queue, Object protectionDomain, CompletionRing completions) {
        this.queue = queue;
        this.ring = queue.ring();
        this.protectionDomain = protectionDomain;
        this.completions = completions;
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
        request.point(queue.memory(), ring.offset(consumer), queue.maxSge());
        return true;
    }

    /** Moves on to the ring of a resize; true if a request is pending there. */
    private boolean moveOn() {
        if (!queue.moveOn()) {
            return false;
        }
        ring = queue.ring();
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
        queue.clear();
        ring = queue.ring();
        begin();
    }

    /** Continues at the consumer index of the ring; pending requests in it are not yet known. */
    private void begin() {
        consumer = ring.distance(ring.ownConsumer(), 0);
        producer = consumer;
    }

    @Override
    public int ownWaiting() {
        return queue.waiting();
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
        return completions;
    }
}
