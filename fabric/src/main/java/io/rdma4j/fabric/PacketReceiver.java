// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.packet.SkBuff;

/** Receives the packets of an end port, or those for a switch itself. */
public interface PacketReceiver {
    /**
     * A packet has arrived.
     *
     * @param packet begins with its local route header, whose lane is that of the last link on wire links only; the
     *     receiver owns it
     * @param inputPort port at which it arrived; 0 if the node itself sent it
     */
    void receive(SkBuff packet, int inputPort);
}
