package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.EventType;

/** What a provider tells the core about a queue pair; any thread, does not block. */
@FunctionalInterface
public interface QpEvents {
    /**
     * Something happened to the queue pair. Any thread of the device; must not block.
     *
     * @param type one whose element is the queue pair
     */
    void event(EventType type);
}
