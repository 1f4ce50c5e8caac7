package io.rdma4j.tools.peer;

import java.security.SecureRandom;

/**
 * First packet sequence numbers. They come from a source that cannot be guessed, because a packet with the expected number is all
 * that a third party needs to interfere with a connection.
 */
public final class RandomPsn {
    private static final int BITS = 24;
    private static final SecureRandom RANDOM = new SecureRandom();

    private RandomPsn() {}

    /** A number of 24 bits, each of which is random. */
    public static int next() {
        return RANDOM.nextInt(1 << BITS);
    }
}
