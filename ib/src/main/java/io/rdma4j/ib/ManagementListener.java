// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import java.lang.foreign.MemorySegment;

/**
 * Receives management datagrams at a node of a fabric, after its agents and before the queue pairs of programs. For the
 * owner of the loop.
 */
public interface ManagementListener {
    /**
     * A datagram has arrived.
     *
     * @param memory of the datagram; valid during the call
     * @param mad offset of its first byte
     * @param sourceLid of the sender
     * @param sourceQpn queue pair of the sender
     * @param destinationQpn 0 or 1
     * @return true if it was for this listener
     */
    boolean receive(MemorySegment memory, long mad, int sourceLid, int sourceQpn, int destinationQpn);

    /** The port of a channel adapter has changed its state. */
    default void portChanged() {}

    /** {@return true if this is a subnet manager, to which requests for SMInfo go} */
    default boolean isManager() {
        return false;
    }

    /** {@return true for a subnet manager in the state NOT-ACTIVE} */
    default boolean isDisabled() {
        return false;
    }
}
