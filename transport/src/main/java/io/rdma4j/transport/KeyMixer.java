package io.rdma4j.transport;

/**
 * Makes the 24 bits of a key that the peer sees from the index of the table, one to one, so that nobody can tell from the
 * keys he was given which others there are. Two rounds of multiplication by secret odd numbers and folding; 0 stays 0.
 *
 * <p>This keeps honest mistakes and blind guesses away; it is no cipher. What protects memory are the checks behind the key.
 */
final class KeyMixer {
    private static final int MASK = 0xFF_FFFF;
    private static final int FOLD = 12;

    private final int first;
    private final int second;
    private final int firstInverse;
    private final int secondInverse;

    /** @param secret of the device; 0 leaves indexes as they are */
    KeyMixer(long secret) {
        first = odd(secret);
        second = odd(secret >>> Integer.SIZE);
        firstInverse = inverse(first);
        secondInverse = inverse(second);
        folds = secret != 0;
    }

    private final boolean folds;

    private static int odd(long bits) {
        return bits == 0 ? 1 : (int) bits & MASK | 1;
    }

    /** The number whose product with {@code odd} is 1 modulo 2^24, by Newton's method: each step doubles the good bits. */
    private static int inverse(int odd) {
        int inverse = odd;
        for (int goodBits = 3; goodBits < 24; goodBits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse & MASK;
    }

    int toKey(int index) {
        int mixed = fold(index * first & MASK);
        return fold(mixed * second & MASK);
    }

    int toIndex(int key) {
        int mixed = fold(key) * secondInverse & MASK;
        return fold(mixed) * firstInverse & MASK;
    }

    /** Its own inverse, because half of the bits are left alone. */
    private int fold(int bits) {
        return folds ? bits ^ bits >>> FOLD : bits;
    }
}
