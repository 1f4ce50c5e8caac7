// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import java.lang.foreign.MemorySegment;

/** Receives the local messages of a device. Only the loop's owner calls it. */
public interface LocalReceiver {
    /**
     * {@return true if local messages are allowed; false while a tap or filter needs to see packets, then peers send
     * packets} Any thread.
     */
    boolean isOpen();

    /**
     * Receives a local message.
     *
     * @param way channel back to the sender
     * @param memory memory of the message, which the sender can still change; valid during the call
     * @param at offset of the message, a multiple of eight
     * @param bytes length of the message, at least 1
     * @return false for an invalid message; then the device reads no more messages of this peer
     */
    boolean receive(LocalChannel way, MemorySegment memory, long at, int bytes);

    /** {@return true if link rings of the channels wait to be read, so that the caller must not sleep} Any thread. */
    boolean isPending();

    /**
     * Handles that a channel has ended: its memory is not used after this call.
     *
     * @param channel to a peer that has ended or violated the format
     */
    void closed(LocalChannel channel);
}
