// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopbackDeviceTest {
    private static final Gid LOCAL = Gid.parse("127.0.0.1");

    private final SkBuffPool pool = new SkBuffPool(8, 256);
    private final NetDevice lo = LoopbackDevice.create("lo", 1, List.of(LOCAL), 4);
    private final List<SkBuff> received = new ArrayList<>();

    @BeforeEach
    void up() {
        lo.up();
    }

    @AfterEach
    void close() {
        received.forEach(SkBuff::free);
        lo.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    void trainComesBackWholeAndTheSameBufferWithTheNextPoll() {
        lo.rxHandler().registerReceiver(received::add);
        SkBuff train = packet();
        train.shinfo().gso(10, 3);
        assertThat(lo.transmit(train)).isEqualTo(NetdevTx.OK);
        assertThat(received).isEmpty();
        assertThat(lo.napi().poll(8)).isEqualTo(1);
        assertThat(received).containsExactly(train);
        assertThat(lo.features().active()).contains(NetDeviceFeature.GSO);
        assertThat(lo.stats().txPackets()).isEqualTo(3);
        assertThat(lo.stats().rxPackets()).isEqualTo(3);
        assertThat(lo.stats().txBytes()).isEqualTo(train.len());
    }

    @Test
    void answersSentWhileReceivingDoNotRecurse() {
        int[] depth = {0};
        int[] deepest = {0};
        lo.rxHandler().registerReceiver(skb -> {
            depth[0]++;
            deepest[0] = Math.max(deepest[0], depth[0]);
            assertThat(lo.transmit(skb)).isEqualTo(NetdevTx.OK);
            depth[0]--;
        });
        lo.transmit(packet());
        assertThat(lo.napi().poll(100)).as("the budget ends it").isEqualTo(100);
        assertThat(deepest[0]).isEqualTo(1);
    }

    @Test
    void fullQueueIsBusyUntilItIsPolled() {
        lo.rxHandler().registerReceiver(SkBuff::free);
        for (int i = 0; i < 4; i++) {
            assertThat(lo.transmit(packet())).isEqualTo(NetdevTx.OK);
        }
        SkBuff fifth = packet();
        assertThat(lo.transmit(fifth)).isEqualTo(NetdevTx.BUSY);
        assertThat(lo.napi().poll(1)).isEqualTo(1);
        assertThat(lo.transmit(fifth)).isEqualTo(NetdevTx.OK);
    }

    @Test
    void takingItDownDropsWhatIsUnderWay() {
        lo.transmit(packet());
        lo.down();
        assertThat(pool.available()).isEqualTo(8);
    }

    @Test
    void whatIsSentSchedulesTheReceiver() {
        assertThat(lo.napi().run(64)).isZero();
        assertThat(lo.napi().isScheduled()).isFalse();
        lo.transmit(packet());
        assertThat(lo.napi().isScheduled()).isTrue();
        assertThat(lo.napi().run(64)).isEqualTo(1);
        assertThat(lo.napi().isScheduled()).isFalse();
    }

    private SkBuff packet() {
        SkBuff skb = Packets.allocate(pool);
        skb.put(30);
        return skb;
    }
}
