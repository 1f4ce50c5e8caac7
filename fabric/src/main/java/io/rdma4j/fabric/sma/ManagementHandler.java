// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.packet.SkBuff;

/** Receives the datagrams for a subnet manager at a node: responses to its requests, traps, and requests for SMInfo. */
public interface ManagementHandler {
    /** Drops them. */
    ManagementHandler NONE = (packet, _, _) -> packet.free();

    /**
     * A datagram has arrived.
     *
     * @param packet begins with its local route header, and ends with the datagram; the handler owns it
     * @param mad offset of the datagram in the memory of the packet
     * @param inputPort port at which it arrived; 0 if the node itself sent it
     */
    void receive(SkBuff packet, long mad, int inputPort);

    /** {@return true if a subnet manager runs at the node; without one the agent rejects requests for SMInfo} */
    default boolean isManager() {
        return false;
    }
}
