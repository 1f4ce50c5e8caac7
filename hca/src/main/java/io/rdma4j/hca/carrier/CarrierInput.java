// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.carrier;

import io.rdma4j.hca.InputErrors;
import io.rdma4j.packet.SkBuff;

/** Takes the packets and events of a carrier. */
public interface CarrierInput {
    /** Returns true if the port receives packets now. For the owner of the port loop. */
    boolean receives();

    /**
     * Delivers a packet, or a train that an engine has made, whose form is valid. The data begins with the BTH; the
     * headers of the carrier stand before it. The caller keeps the buffer. For the owner of the port loop.
     */
    void receive(SkBuff skb);

    /** Returns what counts the packets that the carrier drops. */
    InputErrors errors();

    /** Reports that the link went up or down. Any thread. */
    void linkChanged();

    /** Reports that the addresses of the port changed. Any thread. */
    void addressesChanged();

    /** Reports that the link was removed. Any thread. */
    void removed();
}
