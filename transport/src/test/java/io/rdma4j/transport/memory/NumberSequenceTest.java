// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NumberSequenceTest {
    private static final long SECRET = 0x9E3779B97F4A7C15L;

    private static List<Integer> first(int count, NumberSequence sequence) {
        return IntStream.range(0, count).mapToObj(_ -> sequence.next()).toList();
    }

    /** From the reference vectors of SipHash-2-4: key 00 to 0f, message 00 to 07. */
    @Test
    void theHashIsThatOfTheReferenceVectors() {
        long hash =
                new NumberSequence(SECRET, "test").hash(0x0706050403020100L, 0x0F0E0D0C0B0A0908L, 0x0706050403020100L);
        assertThat(hash).isEqualTo(0x93F5F5799A932462L);
    }

    @Test
    void aSequenceThatCountsHas24Bits() {
        assertThat(first(3, NumberSequence.counting(0xFF_FFFE))).containsExactly(0xFF_FFFE, 0xFF_FFFF, 0);
    }

    @Test
    void sequencesOfOneSecretForDifferentUsesDiffer() {
        List<Integer> keys = first(1000, new NumberSequence(SECRET, "keys"));
        List<Integer> others = first(1000, new NumberSequence(SECRET, "queue pairs"));
        assertThat(IntStream.range(0, 1000).filter(i -> keys.get(i).equals(others.get(i))))
                .hasSizeLessThan(5);
        assertThat(first(1000, new NumberSequence(SECRET, "keys"))).isEqualTo(keys);
    }

    @Test
    void theStepFromNumberToNumberDoesNotRepeat() {
        List<Integer> numbers = first(1000, new NumberSequence(SECRET, "test"));
        BitSet steps = new BitSet();
        for (int i = 1; i < numbers.size(); i++) {
            steps.set(numbers.get(i) - numbers.get(i - 1) & 0xFF_FFFF);
        }
        assertThat(steps.cardinality()).as("different steps of 999").isGreaterThan(990);
    }
}
