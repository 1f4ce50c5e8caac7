// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.sim.run.TrafficPattern.Pair;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which hosts exchange messages. */
class TrafficPatternTest {
    @Test
    void aRingHasEachHostWithTheNextOne() {
        assertThat(TrafficPattern.RING.pairs(4, 1))
                .containsExactly(new Pair(0, 1), new Pair(1, 2), new Pair(2, 3), new Pair(0, 3));
    }

    @Test
    void twoHostsAreOnePairInEveryPattern() {
        for (TrafficPattern pattern : TrafficPattern.values()) {
            assertThat(pattern.pairs(2, 1)).as(pattern.toString()).containsExactly(new Pair(0, 1));
        }
    }

    @Test
    void allHasEachPairOnce() {
        List<Pair> pairs = TrafficPattern.ALL.pairs(5, 1);
        assertThat(pairs).hasSize(10);
        assertThat(new HashSet<>(pairs)).hasSize(10);
    }

    @Test
    void aPermutationDependsOnTheSeedAndHasEachHostInTwoPairs() {
        List<Pair> pairs = TrafficPattern.PERMUTATION.pairs(20, 7);
        for (int host = 0; host < 20; host++) {
            int each = host;
            assertThat(pairs)
                    .filteredOn(pair -> pair.first() == each || pair.second() == each)
                    .hasSize(2);
        }
        assertThat(TrafficPattern.PERMUTATION.pairs(20, 7)).isEqualTo(pairs);
        assertThat(TrafficPattern.PERMUTATION.pairs(20, 8)).isNotEqualTo(pairs);
    }

    @Test
    void anIncastHasTheFirstHostInEachPair() {
        assertThat(TrafficPattern.INCAST.pairs(4, 1)).containsExactly(new Pair(0, 1), new Pair(0, 2), new Pair(0, 3));
    }
}
