// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.verbs.device.PortState;

/** What owns ports: a switch or an end port. */
abstract class IbNode {
    /** Decides on the first packet of a queue, see {@link LaneQueue.Owner#route}. */
    abstract void route(LaneQueue queue, IbPacket packet);

    /** Longest stay of a packet in nanoseconds, or {@link FabricParts#FOREVER}. */
    abstract long lifeNs();

    /** A port has another logical state. */
    abstract void stateChanged(int port, PortState state);

    /** A port has dropped a packet because of its P_Key. */
    void pkeyRejected(int port, IbPacket packet) {}
}
