// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import java.lang.foreign.MemorySegment;

/** What a {@link MadPort} needs of its queue pair. The port calls one method at a time. */
public interface DatagramOutput {
    /**
     * Posts a datagram, or queues it in order if the send queue is full. The driver later calls {@link
     * MadPort#sendCompleted} once, also after an error, but not within this call.
     *
     * @param handle number for the completion
     * @param to destination
     * @param datagram 256 bytes; the port does not change them later
     */
    void post(long handle, MadAddress to, MemorySegment datagram);

    /** Ends the wait of the thread that drives the port: there is a new deadline or a handler to call. Any thread. */
    void wakeup();

    /**
     * {@return the index of a P_Key in the port's table, or -1}
     *
     * @param pkey 16 bits
     */
    int pkeyIndex(int pkey);
}
