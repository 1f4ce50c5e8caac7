// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.packet.SkBuff;

/** The interface of the device that the engine of a raw queue pair uses. */
public interface RawPort extends PacketPort {
    /** {@return longest packet, bytes} */
    int maxBytes();

    /**
     * {@return true if the queue pair may send such a packet, whose bytes may be in fragments; false also if their
     * memory is closed} The buffer is not changed.
     *
     * @param skb the packet to be sent
     */
    boolean carries(SkBuff skb);
}
