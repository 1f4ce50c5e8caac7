// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Addresses in use, and peers that have ended. */
@ProvedOn("carrier:udp")
class RealSocketTest {
    private static final Duration BOUND = Duration.ofSeconds(5);

    @Test
    @Covers({"GEN-22", "RXE-6", "RXE-7", "RXE-148"})
    void devicesSpeakUdpOnTheRocePort() throws Exception {
        try (UdpPair pair = new UdpPair(EndpointSetup.DEFAULT, LinkSetup.DEFAULT);
                DatagramChannel taken = DatagramChannel.open()) {
            assertThatExceptionOfType(BindException.class)
                    .isThrownBy(() -> taken.bind(new InetSocketAddress(TestAddresses.text(UdpPair.FIRST), 4791)));
            pair.b.postReceive(1, 0, 100);
            pair.a.postSend(2, 0, 100);
            pair.b.awaitReceive();
            pair.a.awaitSend();
        }
    }

    /** The acknowledgement of the last message may be delayed for a reply that the application never posts. */
    @Test
    void aProgramThatEndsWithItsLastMessageHasAcknowledgedIt() {
        for (int run = 0; run < 5; run++) {
            try (UdpPair pair = new UdpPair(EndpointSetup.DEFAULT, LinkSetup.SHORT_TIMEOUTS)) {
                for (int i = 0; i < 200; i++) {
                    pair.a.postReceive(i, 0, 100);
                    pair.b.postReceive(i, 0, 100);
                    pair.a.postSend(i, 0, 100);
                    pair.b.awaitReceive();
                    pair.b.postSend(i, 0, 100);
                    pair.a.awaitReceive();
                }
                pair.endFirst();
                for (WorkCompletion sent : pair.b.awaitSends(200)) {
                    assertThat(sent.status()).isEqualTo(WcStatus.SUCCESS);
                }
            }
        }
    }

    /** A polling program gets the error in time: seven retries of 4.2 ms, plus a margin for a busy machine. */
    @Test
    @Covers("CQ-40")
    void aPeerThatDiesInMidRunIsNoticedByAThreadThatPolls() {
        try (UdpPair pair = new UdpPair(EndpointSetup.DEFAULT, LinkSetup.SHORT_TIMEOUTS)) {
            exchange(pair);
            pair.killSecond();
            long start = System.nanoTime();
            pair.a.postSend(1, 0, 5000);
            pair.a.postSend(2, 0, 5000);
            List<WorkCompletion> ends = pair.a.awaitSends(2);
            assertThat(ends)
                    .extracting(WorkCompletion::status)
                    .containsExactly(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
        }
    }

    @Test
    void aPeerThatDiesInMidRunIsNoticedByAThreadThatSleeps() throws Exception {
        try (UdpPair pair = new UdpPair(EndpointSetup.DEFAULT, LinkSetup.SHORT_TIMEOUTS);
                CompletionChannel channel = pair.first().createCompletionChannel();
                Endpoint sleeper = new Endpoint(pair, pair.first(), EndpointSetup.DEFAULT.channel(channel))) {
            sleeper.connectTo(pair.b, LinkSetup.SHORT_TIMEOUTS);
            exchange(pair);
            pair.killSecond();
            sleeper.sendCq.requestNotification(false);
            sleeper.postSend(1, 0, 5000);
            Objects.requireNonNull(channel.getEvent(BOUND), "an event in time").acknowledgeEvents(1);
            assertThat(sleeper.sendCq.poll(1))
                    .extracting(WorkCompletion::status)
                    .containsExactly(WcStatus.RETRY_EXC_ERR);
        }
    }

    private static void exchange(UdpPair pair) {
        for (int i = 0; i < 20; i++) {
            pair.b.postReceive(i, 0, 3000);
            pair.a.postSend(i, 0, 3000);
            pair.b.awaitReceive();
            pair.a.awaitSend();
        }
    }

    /** Another process uses the port. */
    @Test
    @Covers("RXE-4")
    void aTakenPortIsRefusedWithAWayOut() throws Exception {
        try (Host host = RxeTargets.hostOf(TestAddresses.device(40))) {
            try (DatagramChannel other = DatagramChannel.open()) {
                other.bind(new InetSocketAddress(TestAddresses.text(40), RxeOptions.ROCE_V2_PORT));
                assertThatExceptionOfType(RdmaException.class)
                        .isThrownBy(() -> host.open("rxe0"))
                        .withMessageContaining(TestAddresses.text(40))
                        .withMessageContaining("4791")
                        .withMessageContaining("in use")
                        .withMessageContaining("RDMA4J_DEVICES=")
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
            }
            try (Context context = host.open("rxe0")) {
                assertThat(context.queryGidTable()).hasSize(1);
            }
        }
    }

    /** All contexts of a device share its socket, which exists while at least one is open. */
    @Test
    @Covers({"RXE-3", "RXE-241"})
    void theSocketIsSharedAndGoesWithTheLastOpening() {
        RxeProvider provider = new RxeProvider(List.of(TestAddresses.device(41)), RxeOptions.DEFAULT);
        try (Host host = Host.create("test")) {
            host.register(provider);
            RxeDevice device = (RxeDevice) provider.discover().iterator().next();
            assertThat(device.port()).isNull();
            Context first = host.open("rxe0");
            Context second = host.open("rxe0");
            RxePort port = device.port();
            first.close();
            assertThat(device.port()).isSameAs(port);
            second.close();
            assertThat(device.port()).isNull();
            host.open("rxe0").close();
        }
    }
}
