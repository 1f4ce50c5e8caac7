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

    OwnReceives(ReceiveQueue queue, Object protectionDomain, CompletionRing completions) {
        this.queue = queue;
        this.ring = queue.ring();
        this.protectionDomain = protectionDomain;
        this.completions = completions;
    }

    @Override
    public boolean take(ReceiveSlot slot) {
        if (ownWaiting() == 0) {
            return false;
        }
        slot.point(queue.memory(), ring.offset(ring.ownConsumer()), queue.maxSge());
        return true;
    }

    @Override
    public void release() {
        ring.publishConsumer(ring.next(ring.ownConsumer()));
    }

    @Override
    public void reset() {
        ring.clear();
    }

    @Override
    public int ownWaiting() {
        return ring.distance(ring.acquireProducer(), ring.ownConsumer());
    }

    @Override
    public boolean isShared() {
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
