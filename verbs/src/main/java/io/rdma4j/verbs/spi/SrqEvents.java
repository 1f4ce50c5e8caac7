package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.EventType;

/** What a provider tells the core about a shared receive queue; any thread, does not block. */
@FunctionalInterface
public interface SrqEvents {
    /**
     * Something happened to the shared receive queue. Any thread of the device; must not block.
     *
     * @param type one whose element is the shared receive queue
     */
    void event(EventType type);
}
