package io.rdma4j.transport;

import io.rdma4j.verbs.queue.CompletionRing;

/**
 * Takes receive requests from a shared queue. They are copied, because other queue pairs go on before the message has ended.
 * Answers to {@code get_srq_wqe}.
 */
final class SharedSource implements ReceiveSource {
    private final SharedReceives queue;
    private final CompletionRing completions;

    SharedSource(SharedReceives queue, CompletionRing completions) {
        this.queue = queue;
        this.completions = completions;
    }

    @Override
    public boolean take(ReceiveSlot slot) {
        int bytes = queue.ring().elementBytes();
        if (!queue.ring().take(slot.room(bytes), 0)) {
            return false;
        }
        slot.pointAtRoom(bytes);
        return true;
    }

    @Override
    public void release() {
        // The ring's slot was free again when the request was copied.
    }

    @Override
    public void reset() {
        // What is posted is for all queue pairs.
    }

    @Override
    public int ownWaiting() {
        return 0;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean isBroken() {
        return queue.ring().isBroken();
    }

    @Override
    public Object protectionDomain() {
        return queue.protectionDomain();
    }

    @Override
    public CompletionRing completions() {
        return completions;
    }
}
