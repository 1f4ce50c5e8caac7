// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import java.lang.foreign.MemorySegment;

/** Sends datagrams from queue pair 0 of the port at which a subnet manager runs. */
public interface SmpOutput {
    /**
     * Sends a datagram.
     *
     * @param mad 256 bytes, copied during the call
     * @param destinationLid LID; the permissive one for a directed route
     */
    void send(MemorySegment mad, int destinationLid);
}
