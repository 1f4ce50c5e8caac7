// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import java.lang.foreign.MemorySegment;

/** Receives the datagrams for a subnet manager at a node: responses to its requests, and traps. */
public interface ManagementHandler {
    /** Ignores them. */
    ManagementHandler NONE = (_, _, _) -> {};

    /**
     * A datagram has arrived.
     *
     * @param memory of the datagram; valid during the call
     * @param offset of its first byte
     * @param inputPort port at which it arrived
     */
    void receive(MemorySegment memory, long offset, int inputPort);
}
