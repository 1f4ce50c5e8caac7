// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VxlanDeviceTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final long A = MacAddress.parse("02:00:00:00:00:0a");
    private static final long B = MacAddress.parse("02:00:00:00:00:0b");
    private static final int TYPE = 0x88B5;
    private static final int VNI = 0x12_3456;
    private static final long TIMEOUT_NS = 20_000_000_000L;

    private final SkBuffPool pool = new SkBuffPool(8, 2048);
    private final NetHost host = NetHost.create(System::nanoTime);
    private final List<NetDevice> devices = new ArrayList<>();
    private long nowNs;

    @AfterEach
    void close() {
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(8);
        pool.close();
    }

    private VxlanDevice open(long mac, int port, List<InetSocketAddress> remotes) {
        VxlanDevice made =
                VxlanDevice.create("vxlan%d", 1450, mac, VNI, new InetSocketAddress(HERE, port), remotes, () -> nowNs);
        devices.add(host.initial().register(made.netDevice()));
        made.netDevice().up();
        return made;
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(HERE, port);
    }

    private static List<byte[]> received(NetDevice device) {
        List<byte[]> payloads = new ArrayList<>();
        device.protocols().addHandler(TYPE, skb -> {
            payloads.add(Packets.bytes(skb));
            skb.free();
        });
        return payloads;
    }

    private static void poll(NetDevice device, List<byte[]> received, int count) {
        long begin = System.nanoTime();
        while (received.size() < count) {
            assertThat(System.nanoTime() - begin).as("waited, ns").isLessThan(TIMEOUT_NS);
            device.driver().awaitReadable(1_000_000);
            device.napi().poll(64);
        }
    }

    @Test
    @Covers("NDEV-201")
    void aFrameIsWrappedIntoADatagramBehindTheNumberOfItsNetwork() throws IOException {
        try (DatagramSocket peer = new DatagramSocket(at(0))) {
            peer.setSoTimeout(20_000);
            VxlanDevice driver = open(A, 0, List.of(at(peer.getLocalPort())));
            NetDevice device = driver.netDevice();
            device.transmit(Frames.frame(pool, B, A, TYPE, new byte[] {1, 2, 3}));
            DatagramPacket datagram = new DatagramPacket(new byte[100], 100);
            peer.receive(datagram);
            byte[] wrapped = {
                8,
                0,
                0,
                0,
                0x12,
                0x34,
                0x56,
                0,
                2,
                0,
                0,
                0,
                0,
                0xB,
                2,
                0,
                0,
                0,
                0,
                0xA,
                (byte) 0x88,
                (byte) 0xB5,
                1,
                2,
                3
            };
            assertThat(Arrays.copyOf(datagram.getData(), datagram.getLength())).isEqualTo(wrapped);
            assertThat(device.stats().txBytes()).isEqualTo(17);

            List<byte[]> received = received(device);
            byte[] answer = wrapped.clone();
            System.arraycopy(wrapped, 14, answer, 8, 6);
            System.arraycopy(wrapped, 8, answer, 14, 6);
            for (int spoiled : new int[] {0, 6, -1}) {
                byte[] sent = answer.clone();
                if (spoiled >= 0) {
                    sent[spoiled] ^= 8;
                }
                peer.send(new DatagramPacket(sent, sent.length, HERE, driver.port()));
            }
            poll(device, received, 1);
            assertThat(received).containsExactly(new byte[] {1, 2, 3});
            assertThat(device.stats().rxErrors())
                    .as("without a number, and of another network")
                    .isEqualTo(2);
        }
    }

    @Test
    void stationsAreLearntAndFramesToAllGoEverywhere() {
        VxlanDevice a = open(A, 0, List.of());
        VxlanDevice b = open(B, 0, List.of(at(a.port())));
        List<byte[]> atA = received(a.netDevice());
        List<byte[]> atB = received(b.netDevice());
        a.netDevice().transmit(Frames.frame(pool, B, A, TYPE, new byte[] {1}));
        assertThat(a.netDevice().stats().txErrors()).as("nobody is known").isEqualTo(1);
        b.netDevice().transmit(Frames.frame(pool, MacAddress.BROADCAST, B, TYPE, new byte[] {2}));
        poll(a.netDevice(), atA, 1);
        a.netDevice().transmit(Frames.frame(pool, B, A, TYPE, new byte[] {3}));
        poll(b.netDevice(), atB, 1);
        assertThat(atB).containsExactly(new byte[] {3});
        nowNs += 300_000_000_001L;
        a.netDevice().transmit(Frames.frame(pool, B, A, TYPE, new byte[] {4}));
        assertThat(a.netDevice().stats().txErrors()).as("forgotten").isEqualTo(2);
    }

    @Test
    void itStaysInItsNamespaceAndRefusesWhatIsNoNetwork() {
        NetDevice device = open(A, 0, List.of()).netDevice();
        assertThat(device.features().has(NetDeviceFeature.NETNS_LOCAL)).isTrue();
        assertThat(device.features().isFixed(NetDeviceFeature.NETNS_LOCAL)).isTrue();
        assertThatThrownBy(() -> VxlanDevice.create("x", 1450, 0, 1 << 24, at(0), List.of(), () -> 0))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
