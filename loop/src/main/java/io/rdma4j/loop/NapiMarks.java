// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A bitmap of the polling contexts of a loop that may have packets, by number ({@code poll_list} of {@code
 * softnet_data}). Contexts without packets then cost a loop nothing. Any thread sets bits; the owner of the loop clears
 * them.
 */
final class NapiMarks {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;

    /** Creates a bitmap with all bits set. */
    NapiMarks(int contexts) {
        words = new long[(contexts + Long.SIZE - 1) / Long.SIZE];
        Arrays.fill(words, -1);
    }

    /** Sets a bit. The thread that finds it set in {@link #next} sees the earlier writes of the caller. */
    void set(int number) {
        // The caller's writes precede the look at the bit. The owner clears the bit before it looks for packets.
        VarHandle.fullFence();
        if ((word(number / Long.SIZE) >>> number & 1) == 0) {
            WORDS.getAndBitwiseOr(words, number / Long.SIZE, 1L << number);
        }
    }

    /** Clears a bit, before the owner polls the context. */
    void clear(int number) {
        WORDS.getAndBitwiseAnd(words, number / Long.SIZE, ~(1L << number));
    }

    /** Returns the first number from {@code from} on whose bit is set, or -1. */
    int next(int from) {
        int index = from / Long.SIZE;
        if (index >= words.length) {
            return -1;
        }
        long word = word(index) & -1L << from;
        while (word == 0) {
            if (++index == words.length) {
                return -1;
            }
            word = word(index);
        }
        return index * Long.SIZE + Long.numberOfTrailingZeros(word);
    }

    private long word(int index) {
        return (long) WORDS.getVolatile(words, index);
    }
}
