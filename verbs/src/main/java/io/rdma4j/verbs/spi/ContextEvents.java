// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Resource;
import java.util.List;

/** Callbacks from a provider to the core for a device; any thread. */
@FunctionalInterface
public interface ContextEvents {
    /**
     * Reports an event of the device or of one of its ports. Any thread of the device; must not block.
     *
     * @param type an event type whose element is a port or the device
     * @param port the port, from 1; 0 for the device
     */
    void event(EventType type, int port);

    /**
     * Reports a trap of a port; ignored by default.
     *
     * @param notice the trap
     */
    default void trap(PortNotice notice) {}

    /**
     * {@return the objects of other modules that belong to the context, for the process that serves its device} None by
     * default. Waits for locks of those modules, which may be held during calls to the device.
     */
    default List<Resource> resources() {
        return List.of();
    }
}
