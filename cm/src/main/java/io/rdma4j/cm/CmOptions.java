// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/**
 * Settings of a communication manager. The limits bound the memory that messages of peers can occupy.
 *
 * @param seed of the communication IDs; must differ from run to run, because a peer drops the REQ of an ID that it
 *     still holds for a connection
 * @param agent upper half of the transaction IDs
 * @param maxHalfOpen maximum number of connections that peers requested and that are not established. Further REQs
 *     are dropped.
 * @param maxTimeWait maximum number of connections in time-wait. Beyond it the oldest time-wait ends early.
 * @param maxSidrAnswers maximum number of SIDR_REPs that are kept for repeated requests
 * @param maxTimeout maximum that a timeout of the peer may have, exponent of 4.096 µs; longer ones are cut
 * @param ids the communication IDs that the manager may use
 * @param alternatePaths true to accept alternate paths in requests; Linux accepts none over RoCE
 */
public record CmOptions(
        long seed,
        int agent,
        int maxHalfOpen,
        int maxTimeWait,
        int maxSidrAnswers,
        int maxTimeout,
        CmIdRange ids,
        boolean alternatePaths) {

    /** About 69 s, the service timeout of rdma_cm. */
    private static final int SERVICE_TIMEOUT = 24;

    /**
     * {@return the defaults: 4096 half-open connections, 16384 in time-wait, 1024 SIDR answers, alternate paths
     * accepted}
     *
     * @param seed of the communication IDs
     */
    public static CmOptions of(long seed) {
        return new CmOptions(seed, 1, 4096, 16_384, 1024, SERVICE_TIMEOUT, CmIdRange.ALL, true);
    }

    /**
     * {@return these options with another agent}
     *
     * @param number upper half of the transaction IDs
     */
    public CmOptions withAgent(int number) {
        return new CmOptions(seed, number, maxHalfOpen, maxTimeWait, maxSidrAnswers, maxTimeout, ids, alternatePaths);
    }

    /**
     * {@return these options with other communication IDs}
     *
     * @param range no other manager of the device uses them
     */
    public CmOptions withIds(CmIdRange range) {
        return new CmOptions(seed, agent, maxHalfOpen, maxTimeWait, maxSidrAnswers, maxTimeout, range, alternatePaths);
    }
}
