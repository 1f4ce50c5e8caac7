// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.WakeUp;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatencyRequestsTest {
    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    /** A link on which no packet arrives, and that records how long the loop would sleep. */
    private static final class SilentDriver implements NetDeviceOps {
        final BlockingQueue<Long> asked = new LinkedBlockingQueue<>();
        private final WakeUp wakeUp = new WakeUp();

        @Override
        public NetdevTx startXmit(SkBuff skb, NetDevice device) {
            skb.free();
            return NetdevTx.OK;
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice device) {
            return null;
        }

        @Override
        public boolean hasInterrupt() {
            return true;
        }

        @Override
        public void awaitReadable(long timeoutNs) {
            asked.add(timeoutNs);
            wakeUp.await(timeoutNs);
        }

        @Override
        public void wakeup() {
            wakeUp.call();
        }
    }

    @Test
    void theStrictestRequestCountsAsLongAsItIsThere() {
        LatencyRequests requests = new LatencyRequests();
        assertThat(requests.longestSleepNs()).isEqualTo(Long.MAX_VALUE);
        LatencyRequests.Request mild = requests.add(5 * MILLISECOND);
        LatencyRequests.Request strict = requests.add(MILLISECOND);
        assertThat(requests.longestSleepNs()).isEqualTo(MILLISECOND);
        strict.close();
        assertThat(requests.longestSleepNs()).isEqualTo(5 * MILLISECOND);
        mild.close();
        mild.close();
        assertThat(requests.longestSleepNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whoCannotWaitForAThreadToWakeUpHasOneThatDoesNotSleep() {
        LatencyRequests requests = new LatencyRequests();
        requests.add(LatencyRequests.WAKE_UP_NS - 1);
        assertThat(requests.longestSleepNs()).isZero();
    }

    @Test
    @Covers("NDEV-189")
    void aRequestShortensTheSleepsOfTheLoopAndAStrictOneEndsThem() throws InterruptedException {
        SilentDriver driver = new SilentDriver();
        NetDevice device = NetHost.standalone(new NetDevice(
                new NetDeviceSetup(LinkType.IP, "silent0", 1, 1500, 0, List.of(), FeatureSet.NONE), driver));
        device.up();
        try (NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC)) {
            loop.add(device);
            loop.start("latency");
            while (driver.asked.take() <= 10 * MILLISECOND) {
                // Until the maximum sleep is not limited.
            }
            LatencyRequests.Request mild = loop.latency().add(MILLISECOND);
            while (driver.asked.take() > MILLISECOND) {
                // Until the loop thread has read the request.
            }
            for (int i = 0; i < 10; i++) {
                assertThat(driver.asked.take()).isLessThanOrEqualTo(MILLISECOND);
            }
            LatencyRequests.Request strict = loop.latency().add(0);
            while (driver.asked.poll(20 * MILLISECOND, TimeUnit.NANOSECONDS) != null) {
                // Until it sleeps no more: the next sleep would begin after a millisecond.
            }
            assertThat(driver.asked.poll(20 * MILLISECOND, TimeUnit.NANOSECONDS))
                    .isNull();
            strict.close();
            assertThat(driver.asked.take()).isLessThanOrEqualTo(MILLISECOND);
            mild.close();
            while (driver.asked.take() <= 10 * MILLISECOND) {
                // Until the maximum sleep is not limited.
            }
        }
        device.unregister();
    }
}
