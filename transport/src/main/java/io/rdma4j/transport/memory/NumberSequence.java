// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

/**
 * Generates 24-bit numbers for memory keys and queue pairs. With a secret, a number is SipHash-2-4 of a counter, so
 * that neither the next numbers nor the secret can be derived from the numbers so far. A number may occur more than
 * once: the table that uses the sequence skips numbers that it already has.
 *
 * <p>Not thread-safe. Allocates nothing.
 */
public final class NumberSequence {
    private static final int MASK = 0xFF_FFFF;
    private static final int ROUNDS_PER_BLOCK = 2;
    private static final int FINAL_ROUNDS = 4;
    private static final int BLOCK_BYTES = 8;

    private final long secret;
    private final long usage;
    private long counter;

    private long v0;
    private long v1;
    private long v2;
    private long v3;

    /**
     * Creates a sequence that cannot be predicted.
     *
     * @param secret 64 random bits, not 0
     * @param usage purpose of the numbers: sequences of the same secret for different purposes are independent
     */
    public NumberSequence(long secret, String usage) {
        this.secret = secret;
        long folded = 0;
        for (int i = 0; i < usage.length(); i++) {
            folded = hash(secret, folded, usage.charAt(i));
        }
        this.usage = folded;
    }

    private NumberSequence(int first) {
        this.secret = 0;
        this.usage = 0;
        this.counter = first;
    }

    /**
     * {@return a sequence that counts by one, for tests and simulations}
     *
     * @param first number
     */
    public static NumberSequence counting(int first) {
        return new NumberSequence(first);
    }

    /** {@return the next number, 0 to 2^24 - 1} */
    public int next() {
        long at = counter++;
        return (int) (secret == 0 ? at : hash(secret, usage, at)) & MASK;
    }

    /** SipHash-2-4 of the eight bytes of {@code message}, under the key {@code k0}, {@code k1}. */
    long hash(long k0, long k1, long message) {
        v0 = k0 ^ 0x736f6d6570736575L;
        v1 = k1 ^ 0x646f72616e646f6dL;
        v2 = k0 ^ 0x6c7967656e657261L;
        v3 = k1 ^ 0x7465646279746573L;
        absorb(message);
        absorb((long) BLOCK_BYTES << 56);
        v2 ^= 0xFF;
        rounds(FINAL_ROUNDS);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void absorb(long block) {
        v3 ^= block;
        rounds(ROUNDS_PER_BLOCK);
        v0 ^= block;
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
