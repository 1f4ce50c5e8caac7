package io.rdma4j.testing.sim;

import java.lang.foreign.MemorySegment;

/** A test's own hand on the packets of a link, for faults that are planned and not left to chance. */
@FunctionalInterface
public interface PacketHook {
    /**
     * Looks at each packet, after the queue and before chance has its say.
     *
     * @param packet from its IP header to its ICRC; may be changed, must not be kept
     * @return false: it is lost
     */
    boolean pass(MemorySegment packet);
}
