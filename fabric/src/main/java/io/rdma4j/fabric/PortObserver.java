// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.device.PortState;

/** Hears of the states of ports. */
public interface PortObserver {
    /** Hears nothing. */
    PortObserver NONE = (_, _) -> {};

    /**
     * A port has another logical state.
     *
     * @param port number of the port
     * @param state the new one
     */
    void stateChanged(int port, PortState state);

    /**
     * A port of a switch has dropped a packet because the port enforces partitions and lacks the P_Key.
     *
     * @param port number of the port
     * @param packet begins with its local route header; valid during the call
     */
    default void pkeyRejected(int port, SkBuff packet) {}
}
