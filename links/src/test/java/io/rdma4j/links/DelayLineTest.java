// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Frames;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DelayLineTest {
    private static final long LEFT = MacAddress.parse("02:00:00:00:00:01");
    private static final long RIGHT = MacAddress.parse("02:00:00:00:00:02");
    private static final int TYPE = 0x88B5;
    private static final int PACKETS = 3;
    private static final LinkProfile DELAY = LinkProfile.PERFECT.withLatencyNs(1000);
    private static final LinkProfile PLAIN = LinkProfile.PERFECT.withLatencyNs(0);

    private final SkBuffPool pool = new SkBuffPool(8, 2048);
    private final VethDevice.Pair pair = VethDevice.pair(
            VethDevice.end("veth0", 2, 1500, LEFT, List.of()), VethDevice.end("veth1", 2, 1500, RIGHT, List.of()));
    private final NetDevice left = pair.first();
    private final NetDevice right = pair.second();
    private final List<Integer> received = new ArrayList<>();
    private long nowNs;
    private final FaultyLink link = FaultyLink.install(left, DELAY, PLAIN, 1, () -> nowNs, PACKETS);
    private final DelayLine delayLine = DelayLine.open(link);

    @BeforeEach
    void receive() {
        right.protocols().addHandler(TYPE, skb -> {
            received.add((int) skb.memory().get(ValueLayout.JAVA_BYTE, skb.data()));
            skb.free();
        });
        left.up();
        right.up();
    }

    @AfterEach
    void close() {
        left.unregister();
        right.unregister();
        assertThat(pool.available()).isEqualTo(8);
        pool.close();
    }

    private void send(int number) {
        left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[] {(byte) number, 7, 7}));
    }

    private List<Integer> deliver(long timeNs) {
        delayLine.deliver(timeNs);
        right.napi().poll(64);
        return received;
    }

    @Test
    void packetsArriveInTheirWindowAtTheirTime() {
        send(1);
        nowNs = 10;
        send(2);
        nowNs = 20;
        send(3);
        assertThat(delayLine.firstSentNs()).isEqualTo(1000);
        assertThat(delayLine.firstArrivalNs()).isEqualTo(Deadline.NEVER);
        delayLine.collect(1020);
        assertThat(delayLine.firstSentNs()).isEqualTo(1020);
        assertThat(delayLine.firstArrivalNs()).isEqualTo(1000);
        assertThat(deliver(999)).isEmpty();
        assertThat(deliver(1000)).containsExactly(1);
        assertThat(deliver(2000)).containsExactly(1, 2);
        assertThat(left.stats().txPackets()).isEqualTo(2);
        assertThat(link.send().stats().count(LinkEvent.ARRIVED)).isEqualTo(2);
        delayLine.collect(2000);
        assertThat(deliver(2000)).containsExactly(1, 2, 3);
        assertThat(link.inUse()).isZero();
    }

    @Test
    void packetsBeyondTheLimitAreLostUntilOthersAreCollected() {
        for (int i = 0; i <= PACKETS; i++) {
            send(i);
        }
        assertThat(link.send().stats().count(LinkEvent.QUEUE_FULL)).isEqualTo(1);
        delayLine.collect(2000);
        send(PACKETS + 1);
        assertThat(link.send().stats().count(LinkEvent.QUEUE_FULL)).isEqualTo(1);
    }

    @Test
    void aDeviceThatIsDownReceivesNothing() {
        send(1);
        delayLine.collect(2000);
        right.down();
        assertThat(deliver(2000)).isEmpty();
        assertThat(right.stats().rxDropped()).isEqualTo(1);
        assertThat(link.inUse()).isZero();
    }

    @Test
    void packetsThatAreNotCollectedAreLostWhenTheSenderGoesDown() {
        send(1);
        delayLine.collect(2000);
        send(2);
        left.down();
        delayLine.collect(4000);
        assertThat(deliver(4000)).containsExactly(1);
        assertThat(link.inUse()).isZero();
    }

    @Test
    void onlyVethDevicesHaveADelayLine() {
        NetDevice dummy = DummyDevice.create("dummy0", 1500);
        FaultyLink other = FaultyLink.install(dummy, DELAY, PLAIN, 1, () -> nowNs, PACKETS);
        assertThatThrownBy(() -> DelayLine.open(other))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("veth");
    }
}
