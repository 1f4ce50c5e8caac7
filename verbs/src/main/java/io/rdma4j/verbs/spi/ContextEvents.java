package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.PortNotice;

/** What a provider tells the core about a device; any thread, does not block. */
@FunctionalInterface
public interface ContextEvents {
    /**
     * Something happened to the device or one of its ports. Any thread of the device; must not block.
     *
     * @param type one whose element is a port or the device
     * @param port the port, from 1; 0 for the device
     */
    void event(EventType type, int port);

    /**
     * A trap of a port; who does not manage ports is not interested.
     *
     * @param notice what the trap says
     */
    default void trap(PortNotice notice) {}
}
