// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;

/**
 * A shared receive queue as the engines of a device use it: a request goes to the first message that needs one.
 *
 * <p>Its ring belongs to the port loop.
 */
public final class SharedReceiveState {
    private final SharedReceiveRing ring;
    private final Object protectionDomain;
    private final ReceiveSource xrcSource;

    /**
     * Creates the state of a queue for XRC targets.
     *
     * @param ring the device's end
     * @param protectionDomain of the shared queue; the targets check the peer's keys against it, too
     * @param xrcCompletions where its requests complete
     */
    public SharedReceiveState(SharedReceiveRing ring, Object protectionDomain, CompletionRing xrcCompletions) {
        this.ring = ring;
        this.protectionDomain = protectionDomain;
        this.xrcSource = new SharedReceiveSource(ring, protectionDomain, xrcCompletions);
    }

    /**
     * Creates the state of an ordinary queue: the queue pairs that use it determine where its requests complete.
     *
     * @param ring the device's end
     * @param protectionDomain of the shared queue
     */
    public SharedReceiveState(SharedReceiveRing ring, Object protectionDomain) {
        this(ring, protectionDomain, CompletionRing.silent(1));
    }

    SharedReceiveRing ring() {
        return ring;
    }

    public Object protectionDomain() {
        return protectionDomain;
    }

    /** The same for any XRC target. */
    public ReceiveSource xrcSource() {
        return xrcSource;
    }
}
