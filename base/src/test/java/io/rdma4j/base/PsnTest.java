// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Covers({"GEN-15", "RXE-163"})
class PsnTest {
    private static final int HALF = 1 << 23;

    @Test
    void countsIn24Bits() {
        assertThat(Psn.of(0x1234_5678)).isEqualTo(0x34_5678);
        assertThat(Psn.of(-1)).isEqualTo(Psn.MASK).isEqualTo(0xFF_FFFF);
        assertThat(Psn.next(0xFF_FFFF)).isZero();
        assertThat(Psn.previous(0)).isEqualTo(0xFF_FFFF);
        assertThat(Psn.add(0xFF_FFF0, 0x20)).isEqualTo(0x10);
        assertThat(Psn.add(0x10, -0x20)).isEqualTo(0xFF_FFF0);
    }

    @Test
    void distanceIsSignedAndWrapsAround() {
        assertThat(Psn.distance(5, 3)).isEqualTo(2);
        assertThat(Psn.distance(3, 5)).isEqualTo(-2);
        assertThat(Psn.distance(1, 0xFF_FFFF)).isEqualTo(2);
        assertThat(Psn.distance(0xFF_FFFF, 1)).isEqualTo(-2);
        assertThat(Psn.distance(HALF - 1, 0)).isEqualTo(HALF - 1);
    }

    @Test
    void exactlyHalfTheSpaceAwayIsBehind() {
        assertThat(Psn.distance(HALF, 0)).isEqualTo(-HALF);
        assertThat(Psn.distance(0, HALF)).isEqualTo(-HALF);
        assertThat(Psn.isBefore(HALF, 0)).isTrue();
        assertThat(Psn.isAfter(HALF, 0)).isFalse();
    }

    @Test
    void aNumberIsNeitherBeforeNorAfterItself() {
        assertThat(Psn.isBefore(7, 7)).isFalse();
        assertThat(Psn.isAfter(7, 7)).isFalse();
        assertThat(Psn.isWithin(7, 7, 7)).isTrue();
    }

    @Test
    void aRangeMayRunOverTheEnd() {
        assertThat(Psn.isWithin(0xFF_FFFE, 0xFF_FFFE, 1)).isTrue();
        assertThat(Psn.isWithin(0, 0xFF_FFFE, 1)).isTrue();
        assertThat(Psn.isWithin(1, 0xFF_FFFE, 1)).isTrue();
        assertThat(Psn.isWithin(2, 0xFF_FFFE, 1)).isFalse();
        assertThat(Psn.isWithin(0xFF_FFFD, 0xFF_FFFE, 1)).isFalse();
    }

    @Test
    void distanceUndoesAddEverywhere() {
        SplittableRandom random = new SplittableRandom(24);
        for (int run = 0; run < 100_000; run++) {
            int psn = random.nextInt(1 << 24);
            int step = random.nextInt(-HALF, HALF);
            assertThat(Psn.distance(Psn.add(psn, step), psn)).isEqualTo(step);
        }
    }

    @Test
    void queuePairNumbersHave24BitsToo() {
        assertThat(Qpn.of(0x0100_0011)).isEqualTo(0x11);
        assertThat(Qpn.toString(0x1E)).isEqualTo("0x00001e");
        assertThat(Qpn.MULTICAST).isEqualTo(Qpn.MASK);
    }
}
