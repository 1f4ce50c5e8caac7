// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import java.lang.foreign.MemorySegment;

/** Sends datagrams from queue pair 1 of the port at which a subnet administrator runs. */
public interface SaOutput {
    /**
     * Sends a datagram.
     *
     * @param mad 256 bytes, copied during the call
     * @param destinationLid of the requester
     * @param destinationQpn of the requester
     */
    void send(MemorySegment mad, int destinationLid, int destinationQpn);
}
