// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.values.EventType;

/** Callbacks from a provider to the core for a device; any thread, must not block. */
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
}
