// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.values.Rate;
import org.junit.jupiter.api.Test;

class PacerTest {
    /** 1,000 messages of 1,000 bytes per second in bursts of 10: one burst every 10 ms. */
    @Test
    void aBurstLeavesAtOnceAndTheNextOneAfterItsGap() {
        Pacer pacer = new Pacer(new PerfOptions.Pacing(1e6, 0, 10, Rate.PORT_CURRENT));
        pacer.start(1000, 5);
        assertThat(pacer.isActive()).isTrue();
        assertThat(pacer.permits(4, 5)).isTrue();
        assertThat(pacer.permits(6, 6)).isTrue();
        assertThat(pacer.permits(1, 10_000_004)).isFalse();
        assertThat(pacer.permits(1, 10_000_005)).isTrue();
        assertThat(pacer.permits(9, 10_000_005)).isTrue();
        assertThat(pacer.permits(1, 20_000_004)).isFalse();
    }

    @Test
    void withoutARateNothingWaits() {
        Pacer pacer = new Pacer(PerfOptions.Pacing.NONE);
        pacer.start(1000, 0);
        assertThat(pacer.isActive()).isFalse();
    }
}
