// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.lang.foreign.MemorySegment;

/** Inspects the packets of a link for a test, which can so create planned faults. */
@FunctionalInterface
public interface PacketHook {
    /**
     * Inspects each packet, after the queue and before the random impairments.
     *
     * @param packet from its IP header to its ICRC; may be changed, must not be kept
     * @return false: the link drops the packet
     */
    boolean pass(MemorySegment packet);
}
