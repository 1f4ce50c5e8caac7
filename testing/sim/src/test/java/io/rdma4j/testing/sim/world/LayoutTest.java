// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests layouts and message contents. */
class LayoutTest {
    private final MemorySegment message = Arena.ofAuto().allocate(1000);

    @Test
    void piecesDoNotOverlapHoldTheCapacityAndFitTheSlot() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            int capacity = random.nextInt(0, 200);
            Layout layout = Layout.random(random, capacity, Layout.MAX_PIECES);
            int end = 0;
            int sum = 0;
            for (int piece = 0; piece < layout.pieces(); piece++) {
                assertThat(layout.offset(piece)).isGreaterThanOrEqualTo(end);
                end = layout.offset(piece) + layout.length(piece);
                sum += layout.length(piece);
            }
            assertThat(sum).isEqualTo(capacity);
            assertThat(end).isLessThanOrEqualTo(Layout.slotBytes(capacity));
        }
    }

    @Test
    void scatteringWritesTheMessageAndNothingElse() {
        SplittableRandom random = new SplittableRandom(2);
        message.fill((byte) 1);
        for (int length = 0; length < 100; length++) {
            MemorySegment slot = Arena.ofAuto().allocate(Layout.slotBytes(100));
            Layout.random(random, 100, 4).scatter(message, length, slot, 0);
            assertThat(slot.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0, length == 0 ? 0 : 1);
            int written = 0;
            for (byte b : slot.toArray(ValueLayout.JAVA_BYTE)) {
                written += b;
            }
            assertThat(written).isEqualTo(length);
        }
    }

    @Test
    void aPatternIsAFunctionOfKeyAndOffset() {
        MemorySegment shorter = Arena.ofAuto().allocate(1000);
        Pattern.write(42, message, 0, 1000);
        for (int length = 0; length < 40; length++) {
            shorter.fill((byte) 0);
            Pattern.write(42, shorter, 3, length);
            assertThat(shorter.asSlice(3, length).mismatch(message.asSlice(0, length)))
                    .isEqualTo(-1);
            assertThat(shorter.get(ValueLayout.JAVA_BYTE, 3L + length)).isZero();
        }
        Pattern.write(43, shorter, 0, 1000);
        assertThat(shorter.mismatch(message)).isZero();
    }
}
