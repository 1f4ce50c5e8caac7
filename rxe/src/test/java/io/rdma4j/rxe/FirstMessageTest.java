// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The local channel is set up when queue pairs are connected, so that the first message goes by a link. */
class FirstMessageTest {
    private static final int BYTES = 64;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final LinkSetup LINK = new LinkSetup(Mtu.MTU_1024, 0x123456, 20, 7, 7, 12, 1);

    @Test
    void firstMessageOfAConnectionGoesByALink() {
        try (UdpPair pair = new UdpPair(RxeOptions.DEFAULT.withSharedMemory(true), EndpointSetup.OPEN, LINK)) {
            long end = System.nanoTime() + TIMEOUT_NS;
            while (!pair.firstReachesSecond() && System.nanoTime() - end < 0) {
                poll(pair.a);
                poll(pair.b);
            }
            assertThat(pair.firstReachesSecond()).as("the peer accepts links").isTrue();
            pair.b.postReceive(1, 0, BYTES);
            pair.a.postSend(2, 0, BYTES);
            Progress.awaitMessage(pair.a.sendCq, pair.b.receiveCq);
            pair.firstPort().counters();
            assertThat(pair.firstCounted("shm_tx_link_messages")).isEqualTo(1);
            assertThat(pair.firstCounted("shm_tx_packets")).isZero();
        }
    }

    private static void poll(Endpoint end) {
        assertThat(end.sendCq.poll(1)).isEmpty();
    }
}
