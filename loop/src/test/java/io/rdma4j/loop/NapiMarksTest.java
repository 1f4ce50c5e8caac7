// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The bitmap of polling contexts that may have packets. */
class NapiMarksTest {
    private static List<Integer> all(NapiMarks marks) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = marks.next(0); i >= 0; i = marks.next(i + 1)) {
            numbers.add(i);
        }
        return numbers;
    }

    private static NapiMarks cleared(int contexts) {
        NapiMarks marks = new NapiMarks(contexts);
        for (int number : all(marks)) {
            marks.clear(number);
        }
        return marks;
    }

    @Test
    void allBitsAreSetAtFirst() {
        assertThat(all(new NapiMarks(70))).startsWith(0, 1).contains(63, 64, 69);
        assertThat(new NapiMarks(0).next(0)).isNegative();
    }

    @Test
    void aClearedBitIsPassedOver() {
        NapiMarks marks = cleared(130);
        assertThat(all(marks)).isEmpty();
        marks.set(0);
        marks.set(64);
        marks.set(64);
        marks.set(129);
        assertThat(all(marks)).containsExactly(0, 64, 129);
        marks.clear(64);
        assertThat(all(marks)).containsExactly(0, 129);
        assertThat(marks.next(130)).isNegative();
    }

    @Test
    void itIsAsABitSet() {
        NapiMarks marks = cleared(200);
        BitSet model = new BitSet();
        SplittableRandom random = new SplittableRandom(5);
        for (int step = 0; step < 10_000; step++) {
            int number = random.nextInt(200);
            if (random.nextBoolean()) {
                marks.set(number);
                model.set(number);
            } else {
                marks.clear(number);
                model.clear(number);
            }
            int from = random.nextInt(200);
            assertThat(marks.next(from)).isEqualTo(model.nextSetBit(from));
        }
    }
}
