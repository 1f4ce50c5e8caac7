// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Another process of this machine sends packets with the peer's address, which any user may use on the loopback
 * interface.
 */
class ForgedPacketTest {
    private static final int IP_AND_UDP_BYTES = 28;
    private static final int PACKETS = 20;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private static ByteBuffer forged(UdpPair pair, int sourcePort, int psn) {
        byte[] packet = new PlainPacket(pair.a.gid(), pair.b.gid())
                .sourcePort(sourcePort)
                .qpn(pair.b.qp.qpn())
                .psn(psn)
                .payload((byte) 'f', (byte) 'o', (byte) 'r', (byte) 'g', (byte) 'e', (byte) 'd', (byte) '.', (byte) '.')
                .bytes();
        return ByteBuffer.wrap(packet, IP_AND_UDP_BYTES, packet.length - IP_AND_UDP_BYTES);
    }

    private static void awaitMore(String what, LongSupplier counter, long than) {
        long end = System.nanoTime() + TIMEOUT_NS;
        while (counter.getAsLong() <= than && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(counter.getAsLong()).as(what).isGreaterThan(than);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPacketFromAnotherSocketWithTheAddressOfThePeerIsDropped(boolean sharedMemory) throws Exception {
        RxeOptions options = RxeOptions.DEFAULT.withSharedMemory(sharedMemory);
        try (UdpPair pair = new UdpPair(options, EndpointSetup.DEFAULT, LinkSetup.DEFAULT);
                DatagramChannel foreign = DatagramChannel.open()) {
            foreign.bind(new InetSocketAddress(TestAddresses.text(UdpPair.FIRST), 0));
            int port = ((InetSocketAddress) foreign.getLocalAddress()).getPort();
            InetSocketAddress target = new InetSocketAddress(TestAddresses.text(UdpPair.SECOND), 4791);
            pair.b.postReceive(1, 0, 100);
            RxePort receiver = pair.secondPort();
            for (int i = 0; i < PACKETS; i++) {
                long before = receiver.inputCounters().wrongAddress;
                send(foreign, forged(pair, port, LinkSetup.DEFAULT.firstPsn()), target);
                awaitMore("packets with a wrong address", () -> receiver.inputCounters().wrongAddress, before);
            }
            assertThat(pair.b.receiveCq.poll(1))
                    .as("what the forged packets have completed")
                    .isEmpty();
            pair.a.postSend(2, 0, 100);
            pair.b.awaitReceive();
            pair.a.awaitSend();
        }
    }

    private static void send(DatagramChannel from, ByteBuffer packet, InetSocketAddress target) throws Exception {
        try {
            from.send(packet, target);
        } catch (SocketException e) {
            throw new AssertionError("the forged packet was not sent", e);
        }
    }
}
