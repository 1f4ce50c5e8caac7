package io.rdma4j.transport;

import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.Ring;

/** The receive queue of one queue pair: its head is worked on in place, and is released when it has completed. */
final class OwnReceives implements ReceiveSource {
    private final ReceiveQueue queue;
    private final Ring ring;
    private final Object protectionDomain;
    private final CompletionRing completions;

    /** Slot of the oldest request, and up to where requests were posted when the device looked last. */
    private int consumer;

    private int producer;

    OwnReceives(ReceiveQueue queue, Object protectionDomain, CompletionRing completions) {
        this.queue = queue;
        this.ring = queue.ring();
        this.protectionDomain = protectionDomain;
        this.completions = completions;
        begin();
    }

    @Override
    public boolean take(ReceiveSlot slot) {
        if (consumer == producer) {
            producer = ring.acquireProducer();
        }
        if (consumer == producer) {
            return false;
        }
        slot.point(queue.memory(), ring.offset(consumer), queue.maxSge());
        return true;
    }

    @Override
    public void release() {
        consumer = ring.next(consumer);
        ring.publishConsumer(consumer);
    }

    @Override
    public void reset() {
        ring.clear();
        begin();
    }

    /** Goes on where the ring says; none of what may wait there has been seen. */
    private void begin() {
        consumer = ring.distance(ring.ownConsumer(), 0);
        producer = consumer;
    }

    @Override
    public int ownWaiting() {
        return ring.distance(ring.acquireProducer(), consumer);
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
