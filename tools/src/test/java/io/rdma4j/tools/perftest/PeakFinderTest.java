// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeakFinderTest {
    @Test
    void theBestMomentIsNotSlowerThanTheWholeTest() {
        PeakFinder peak = new PeakFinder(100);
        long start = System.nanoTime();
        for (int message = 0; message < 100; message += 10) {
            peak.posted(message, 10);
            peak.completed(message + 10);
        }
        double whole = (System.nanoTime() - start) / 100.0;
        assertThat(peak.bestNs()).isPositive().isLessThanOrEqualTo(whole);
    }

    @Test
    void nobodyLooksIfNobodyAsked() {
        PeakFinder peak = new PeakFinder(0);
        peak.posted(0, 1);
        peak.completed(1);
        assertThat(peak.bestNs()).isZero();
    }
}
