// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import java.security.SecureRandom;

/**
 * Generates first packet sequence numbers from a secure random source. A third party that guesses the expected PSN
 * could interfere with a connection.
 */
public final class RandomPsn {
    private static final int BITS = 24;
    private static final SecureRandom RANDOM = new SecureRandom();

    private RandomPsn() {}

    /** Returns 24 random bits. */
    public static int next() {
        return RANDOM.nextInt(1 << BITS);
    }
}
