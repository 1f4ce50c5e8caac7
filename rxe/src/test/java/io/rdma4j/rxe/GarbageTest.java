// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.roce.IcrcIdentification;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A million invalid datagrams to the RoCE port during a run have no effect except on a counter. */
class GarbageTest {
    private static final int DATAGRAMS = 1_000_000;
    private static final int VARIANTS = 4096;
    private static final int MAX_BYTES = 512;
    private static final int IP_AND_UDP_BYTES = 28;
    private static final int MESSAGE_BYTES = 3000;

    /** The flood also fills the socket's receive buffer; lost packets are retransmitted without limit. */
    private static final RxeOptions LONG_TIMEOUTS = new RxeOptions(
            NanoClock.SYSTEM,
            ProgressMode.AUTOMATIC,
            TransportOptions.DEFAULT
                    .withMaxMessageBytes(HcaLimits.MAX_MESSAGE_BYTES)
                    .withRetrySevenForever(),
            RxeOptions.ROCE_V2_PORT);

    private final SplittableRandom random = new SplittableRandom(20);

    @Test
    @Covers({"RXE-155", "RXE-156"})
    void randomDatagramsDuringARunHaveNoEffectButACounter() throws Exception {
        try (UdpPair pair = new UdpPair(LONG_TIMEOUTS, EndpointSetup.DEFAULT, LinkSetup.DEFAULT)) {
            ByteBuffer[] garbage = new ByteBuffer[VARIANTS];
            for (int i = 0; i < VARIANTS; i++) {
                garbage[i] = direct(i % 4 == 0 ? almostReal(pair) : noise());
            }
            FutureTask<Boolean> sender = new FutureTask<>(() -> send(garbage));
            Thread.ofPlatform().daemon().start(sender);
            int messages = 0;
            do {
                exchange(pair, messages++);
            } while (!sender.isDone());
            assertThat(sender.get(1, TimeUnit.SECONDS)).isTrue();
            exchange(pair, messages);
            assertThat(pair.a.qp.state()).isEqualTo(QpState.RTS);
            assertThat(pair.b.qp.state()).isEqualTo(QpState.RTS);
            // The number of datagrams that pass the socket depends on the machine.
            assertThat(pair.dropped()).isGreaterThan(DATAGRAMS / 100);
        }
    }

    private static void exchange(UdpPair pair, int number) {
        Bytes.fill(pair.a.memory.asSlice(0, MESSAGE_BYTES), number);
        pair.b.postReceive(number, 0, MESSAGE_BYTES);
        pair.a.postSend(number, 0, MESSAGE_BYTES);
        assertThat(pair.b.awaitReceive().wrId()).isEqualTo(number);
        assertThat(pair.a.awaitSend().wrId()).isEqualTo(number);
        Bytes.assertHolds(pair.b.memory.asSlice(0, MESSAGE_BYTES), number);
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(MAX_BYTES)];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * Starts like a packet of the connection with a plausible PSN, truncated or with an ICRC that no identification
     * explains.
     */
    private byte[] almostReal(UdpPair pair) {
        byte[] payload = new byte[random.nextInt(MAX_BYTES)];
        random.nextBytes(payload);
        byte[] packet = new PlainPacket(pair.a.gid(), pair.b.gid())
                .opcode(random.nextInt(0x18))
                .ackRequest(random.nextBoolean())
                .qpn(pair.b.qp.qpn())
                .psn(LinkSetup.DEFAULT.firstPsn() + random.nextInt(100_000))
                .payload(payload)
                .bytes();
        int difference;
        do {
            difference = random.nextInt();
        } while (IcrcIdentification.solve(difference, 0, packet.length - 4) != IcrcIdentification.NONE);
        ByteBuffer last = ByteBuffer.wrap(packet, packet.length - 4, 4);
        last.putInt(packet.length - 4, last.getInt(packet.length - 4) ^ Integer.reverseBytes(difference));
        int cut = random.nextInt(8) == 0 ? random.nextInt(packet.length - IP_AND_UDP_BYTES) : 0;
        return Arrays.copyOfRange(packet, IP_AND_UDP_BYTES, packet.length - cut);
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** From the address of the first device, so that the address check accepts it, but from another port. */
    private static boolean send(ByteBuffer[] garbage) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(new InetSocketAddress(TestAddresses.text(UdpPair.FIRST), 0));
            SocketAddress to = new InetSocketAddress(TestAddresses.text(UdpPair.SECOND), RxeOptions.ROCE_V2_PORT);
            for (int i = 0; i < DATAGRAMS; i++) {
                channel.send(garbage[i % VARIANTS].rewind(), to);
            }
        }
        return true;
    }
}
