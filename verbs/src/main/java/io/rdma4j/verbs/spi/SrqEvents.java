// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.values.EventType;

/** Callbacks from a provider to the core for a shared receive queue; any thread, must not block. */
@FunctionalInterface
public interface SrqEvents {
    /**
     * Reports an event of the shared receive queue. Any thread of the device; must not block.
     *
     * @param type an event type whose element is the shared receive queue
     */
    void event(EventType type);
}
