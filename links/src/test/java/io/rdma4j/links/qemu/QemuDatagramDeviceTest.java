// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The peer is a plain UDP socket. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QemuDatagramDeviceTest {
    private static final long OURS = MacAddress.parse("02:00:00:00:00:01");
    private static final long THEIRS = MacAddress.parse("02:00:00:00:00:02");
    private static final int TYPE = 0x88B5;
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final SkBuffPool pool = new SkBuffPool(4, 4096);
    private final List<byte[]> received = new ArrayList<>();
    private DatagramSocket peer;
    private QemuDatagramDevice driver;
    private NetDevice device;

    @BeforeEach
    void open() throws IOException {
        peer = new DatagramSocket(new InetSocketAddress(HERE, 0));
        peer.setSoTimeout(20_000);
        NetDeviceSetup setup = QemuDatagramDevice.setup("q0", 2, 1500, OURS, List.of());
        driver = QemuDatagramDevice.open(
                setup, new InetSocketAddress(HERE, 0), new InetSocketAddress(HERE, peer.getLocalPort()));
        device = driver.netDevice();
        device.protocols().addHandler(TYPE, skb -> {
            received.add(Packets.bytes(skb));
            skb.free();
        });
        device.up();
    }

    @AfterEach
    void close() {
        device.unregister();
        peer.close();
        assertThat(pool.available()).isEqualTo(4);
        pool.close();
    }

    private void fromPeer(DatagramSocket socket, int payloadBytes) throws IOException {
        SkBuff skb = Frames.frame(pool, OURS, THEIRS, TYPE, new byte[payloadBytes]);
        byte[] frame = Packets.bytes(skb);
        skb.free();
        socket.send(new DatagramPacket(frame, frame.length, HERE, driver.port()));
    }

    private void poll(int expected) {
        while (received.size() < expected) {
            device.driver().awaitReadable(20_000_000_000L);
            device.napi().poll(64);
        }
    }

    @Test
    void aFrameIsADatagram() throws IOException {
        byte[] payload = Packets.random(1500, 1);
        assertThat(device.transmit(Frames.frame(pool, THEIRS, OURS, TYPE, payload)))
                .isEqualTo(NetdevTx.OK);
        DatagramPacket datagram = new DatagramPacket(new byte[2000], 2000);
        peer.receive(datagram);
        assertThat(datagram.getLength()).isEqualTo(1514);
        assertThat(datagram.getPort()).isEqualTo(driver.port());
        fromPeer(peer, 46);
        poll(1);
        assertThat(received.getFirst()).hasSize(46);
        assertThat(device.stats().rxBytes()).isEqualTo(60);
        assertThat(device.stats().txBytes()).isEqualTo(1514);
    }

    @Test
    void datagramsFromElsewhereAndFramesThatAreTooLongDoNotArrive() throws IOException {
        try (DatagramSocket stranger = new DatagramSocket(new InetSocketAddress(HERE, 0))) {
            fromPeer(stranger, 20);
        }
        fromPeer(peer, 1505);
        fromPeer(peer, 30);
        poll(1);
        assertThat(received).hasSize(1);
        assertThat(received.getFirst()).hasSize(30);
        assertThat(device.stats().rxErrors()).isEqualTo(1);
    }

    @Test
    void anEndThatIsNotThereOnlyCounts() {
        peer.close();
        for (int i = 0; i < 10; i++) {
            device.transmit(Frames.frame(pool, THEIRS, OURS, TYPE, new byte[100]));
            device.napi().poll(8);
        }
        assertThat(device.isCarrierOk()).isTrue();
        assertThat(device.stats().txErrors() + device.stats().rxErrors()).isPositive();
    }

    @Test
    void framesAllocateNothing() throws IOException {
        device.protocols().removeHandler(TYPE);
        device.protocols().addHandler(TYPE, SkBuff::free);
        NetDeviceSetup setup = QemuDatagramDevice.setup("q1", 3, 1500, THEIRS, List.of());
        int port = peer.getLocalPort();
        peer.close();
        NetDevice other = QemuDatagramDevice.open(
                        setup, new InetSocketAddress(HERE, port), new InetSocketAddress(HERE, driver.port()))
                .netDevice();
        other.up();
        byte[] payload = new byte[1000];
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 5000; i++) {
                        other.transmit(Frames.frame(pool, OURS, THEIRS, TYPE, payload));
                        while (device.napi().poll(64) == 0) {
                            Thread.onSpinWait();
                        }
                    }
                }))
                .isZero();
        other.unregister();
    }

    @Test
    void namesWithoutAddressAreRefused() {
        NetDeviceSetup setup = QemuDatagramDevice.setup("q1", 3, 1500, THEIRS, List.of());
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("nowhere", 1);
        InetSocketAddress here = new InetSocketAddress(HERE, 0);
        assertThatThrownBy(() -> QemuDatagramDevice.open(setup, here, nowhere))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThatThrownBy(() -> QemuDatagramDevice.open(setup, new InetSocketAddress(HERE, driver.port()), here))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }
}
