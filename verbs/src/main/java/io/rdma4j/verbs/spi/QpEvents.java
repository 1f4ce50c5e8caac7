// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.values.EventType;

/** Callbacks from a provider to the core for a queue pair; any thread, must not block. */
@FunctionalInterface
public interface QpEvents {
    /**
     * Reports an event of the queue pair. Any thread of the device; must not block.
     *
     * @param type an event type whose element is the queue pair
     */
    void event(EventType type);
}
