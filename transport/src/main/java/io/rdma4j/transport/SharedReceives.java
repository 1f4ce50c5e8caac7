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
     * @param protectionDomain of the shared queue; XRC targets check the peer's keys against it, too
     * @param xrcCompletions where requests of an XRC queue complete; not used by others, whose queue pairs say where
     */
    public SharedReceives(SharedReceiveRing ring, Object protectionDomain, CompletionRing xrcCompletions) {
        this.ring = ring;
        this.protectionDomain = protectionDomain;
        this.xrcSource = new SharedSource(this, xrcCompletions);
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
