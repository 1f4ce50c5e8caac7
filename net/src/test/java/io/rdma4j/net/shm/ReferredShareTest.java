package io.rdma4j.net.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReferredShareTest {
    /** Of a RoCE port: who has none left cannot send at all. */
    private static final int BUFFERS = 1024;

    private final ReferredShare share = new ReferredShare(() -> {});

    /** How many packets a peer keeps that reads none. */
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
        assertThat(kept).allMatch(own -> own >= ReferredShare.LEAST);
        assertThat(kept.stream().mapToInt(Integer::intValue).sum()).isLessThan(BUFFERS - ReferredShare.LEAST);
    }

    @Test
    void whatAPeerHasReadIsThereForAll() {
        int own = stop();
        share.giveBack();
        assertThat(share.admits(own - 1)).isTrue();
        assertThat(share.admits(0)).isTrue();
    }
}
