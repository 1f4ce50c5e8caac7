// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import java.lang.foreign.MemorySegment;

/** Observes the datagrams of a port. Corresponds to the handlers of {@code ib_register_mad_snoop}. */
@FunctionalInterface
public interface MadSnooper {
    /**
     * Sees a datagram. The call is made by the thread that drives the port, and must not block.
     *
     * @param event what happened
     * @param peer destination or source
     * @param copy the datagram, or with COMPLETED the message; belongs to the observer
     */
    void saw(MadSnoopEvent event, MadAddress peer, MemorySegment copy);
}
