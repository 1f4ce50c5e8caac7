// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

/**
 * Bad accesses of the calling thread to memory: a page of a mapped file that is no longer there (SIGBUS). Compiled code
 * throws {@link InternalError} only when the thread reaches its next safepoint poll.
 */
final class MemoryFaults {
    /** Not a constant, so that the compiler keeps the poll in the loop. */
    private static volatile int rounds = 2;

    private MemoryFaults() {}

    /**
     * Reaches a safepoint poll.
     *
     * @throws InternalError if a bad access was not reported yet
     */
    static void report() {
        for (int i = 0; i < rounds; ) {
            i++;
        }
    }
}
