package io.rdma4j.transport;

import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.SharedReceiveRing;

/**
 * A shared receive queue as the engines of a device know it: a request belongs to the first message that needs one.
 *
 * <p>Its ring belongs to the port loop.
 */
public final class SharedReceives {
    private final SharedReceiveRing ring;
    private final Object protectionDomain;
    private final ReceiveSource xrcSource;

    /**
     * One for XRC targets.
     *
     * @param ring the device's end
     * @param protectionDomain of the shared queue; the targets check the peer's keys against it, too
     * @param xrcCompletions where its requests complete
     */
    public SharedReceives(SharedReceiveRing ring, Object protectionDomain, CompletionRing xrcCompletions) {
        this.ring = ring;
        this.protectionDomain = protectionDomain;
        this.xrcSource = new SharedSource(this, xrcCompletions);
    }

    /**
     * An ordinary one: the queue pairs that use it say where its requests complete.
     *
     * @param ring the device's end
     * @param protectionDomain of the shared queue
     */
    public SharedReceives(SharedReceiveRing ring, Object protectionDomain) {
        this(ring, protectionDomain, CompletionRing.silent(1));
    }

    SharedReceiveRing ring() {
        return ring;
    }

    Object protectionDomain() {
        return protectionDomain;
    }

    /** The same for any XRC target. */
    ReceiveSource xrcSource() {
        return xrcSource;
    }
}
