// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ZeroCopyQuotaTest {
    /** Send buffers of a RoCE port. Without a free one the port cannot send. */
    private static final int BUFFERS = 1024;

    private final ZeroCopyQuota share = new ZeroCopyQuota(() -> {});

    /** Returns the number of packets that wait for a peer that reads none. */
    private int stop() {
        int own = 0;
        while (share.admits(own)) {
            share.take();
            own++;
        }
        return own;
    }

    @Test
    void eachStoppedPeerKeepsHalfOfWhatTheOthersHaveLeft() {
        assertThat(List.of(stop(), stop(), stop())).containsExactly(384, 192, 96);
    }

    @Test
    void buffersAreLeftForOthersWhileManyPeersAreStopped() {
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            kept.add(stop());
        }
        assertThat(kept).allMatch(own -> own >= ZeroCopyQuota.LEAST);
        assertThat(kept.stream().mapToInt(Integer::intValue).sum()).isLessThan(BUFFERS - ZeroCopyQuota.LEAST);
    }

    @Test
    void whatAPeerHasReadIsThereForAll() {
        int own = stop();
        share.giveBack();
        assertThat(share.admits(own - 1)).isTrue();
        assertThat(share.admits(0)).isTrue();
    }
}
