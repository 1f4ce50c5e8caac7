// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;

/** A device whose received packets may wait in the backlog of a worker. */
public interface SteeredDevice extends PacketDevice {
    /**
     * Delivers a packet from a worker's backlog. Only {@link Softnet} calls it.
     *
     * @param skb the packet; the receiver owns it from now on
     */
    void receiveSteered(SkBuff skb);
}
