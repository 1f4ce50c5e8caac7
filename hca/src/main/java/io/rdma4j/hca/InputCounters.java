// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

/**
 * Counts received packets that were dropped before they reached a queue pair, by reason. Only the port loop writes;
 * other threads may read slightly old values.
 */
public final class InputCounters {
    /** Too short, unknown opcode or version, or contradictory lengths. */
    public long malformed;
    /** Wrong ICRC: the packet was corrupted, or the sender computes the ICRC differently. */
    public long badIcrc;
    /** No queue pair has the destination number. */
    public long noQueuePair;
    /** The opcode does not match the type of the queue pair, or a response has no matching request. */
    public long wrongType;
    /** Source or destination address differ from those of the connection. */
    public long wrongAddress;
    /** The P_Key does not match ({@code bad_pkey_cntr}). */
    public long badPkey;
    /** Packets accepted after their hidden IPv4 identification was computed from the ICRC. */
    public long solvedIdentification;
    /** Packets whose payload memory was revoked before they were received. */
    public long lostMemory;

    /** Creates counters with value 0. */
    public InputCounters() {}

    /** {@return the sum of all dropped packets} */
    public long dropped() {
        return malformed + badIcrc + noQueuePair + wrongType + wrongAddress + badPkey + lostMemory;
    }
}
