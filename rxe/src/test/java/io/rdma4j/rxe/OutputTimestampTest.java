// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketTimestamps;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputTimestampTest {
    private final Bench bench = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @Covers("SKB-2")
    void whatAQueuePairSendsIsStampedWhileSomebodyWantsIt() {
        List<Long> stamps = new ArrayList<>();
        bench.network.hooks().register(HookPoint.EGRESS, 0, (_, skb, _, _) -> {
            stamps.add(skb.meta().tstamp());
            return true;
        });
        PacketTimestamps host = bench.network.timestamps();
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        endpoint.postSend(1, 0, 8);
        bench.run();
        host.enable();
        long before = host.nowNs();
        endpoint.postSend(2, 0, 8);
        bench.run();
        host.disable();
        assertThat(stamps).hasSize(2);
        assertThat(stamps.getFirst()).isZero();
        assertThat(stamps.getLast()).isBetween(before, host.nowNs());
    }
}
