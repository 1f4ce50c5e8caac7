// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import java.lang.foreign.MemorySegment;

/** A message whose payload stays where it is until it is sent. */
public interface PayloadTarget {
    /**
     * Sets the location of the payload.
     *
     * @param segment that holds it
     * @param at offset of it
     */
    void payload(MemorySegment segment, long at);
}
