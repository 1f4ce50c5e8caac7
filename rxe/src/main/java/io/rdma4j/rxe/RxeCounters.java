package io.rdma4j.rxe;

/**
 * Why arriving packets were dropped before they reached a queue pair. Written by the port loop only; other threads may
 * read values that are a little old.
 */
public final class RxeCounters {
    /** Too short, unknown opcode or version, lengths that contradict each other. */
    public long malformed;
    /** The ICRC did not fit: corrupted on the way, or made by somebody who computes it in another way. */
    public long badIcrc;
    /** No queue pair of that number. */
    public long noQueuePair;
    /** The opcode's class does not fit the type of the queue pair, or it is an answer to nobody. */
    public long wrongType;
    /** Source or destination address are not those of the connection. */
    public long wrongAddress;
    /** The P_Key does not match ({@code bad_pkey_cntr}). */
    public long badPkey;
    /** Packets accepted after their hidden IPv4 identification was solved from the ICRC. */
    public long solvedIdentification;
    /** Packets whose memory was taken away while they were under way. */
    public long lostMemory;

    /** All counters are 0. */
    public RxeCounters() {}

    /** {@return all packets dropped} */
    public long dropped() {
        return malformed + badIcrc + noQueuePair + wrongType + wrongAddress + badPkey + lostMemory;
    }
}
