// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.Ipv4;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A veth pair of Linux: the Linux stack has an address at one end, and the tested device is a station at the other. */
@ExtendWith(OwnNamespace.class)
@Timeout(60)
class PacketSocketDeviceTest {
    private static final long MAC = MacAddress.parse("02:00:00:00:00:02");
    private static final Gid OURS = Gid.parse("::ffff:10.9.0.2");
    private static final Gid THEIRS = Gid.parse("::ffff:10.9.0.1");
    private static final int TYPE = 0x88B5;
    private static final int OUR_PORT = 4000;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(10);

    private final SkBuffPool pool = new SkBuffPool(8, 2048);
    private final List<SkBuff> received = new ArrayList<>();

    @AfterEach
    void nothingIsLost() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private static void cable() {
        Shell.ip("link add left type veth peer name right");
        Shell.ip("link set left up");
        Shell.ip("link set right up");
        Shell.ip("addr add 10.9.0.1/24 dev left");
        Shell.ip("neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev left");
    }

    private static NetDevice station(String name, long mac) {
        NetDevice device = PacketSocketDevice.open(new PacketSocketSettings(name, mac, List.of(OURS), 16))
                .netDevice();
        device.up();
        // Linux updates the link state with a short delay.
        while (!device.isCarrierOk()) {
            device.driver().awaitReadable(LONG_NS);
        }
        return device;
    }

    private NetDevice station() {
        cable();
        NetDevice device = station("right", MAC);
        device.protocols().addHandler(EtherType.IPV4, received::add);
        device.protocols().addHandler(TYPE, received::add);
        return device;
    }

    private void close(NetDevice device) {
        received.forEach(SkBuff::free);
        device.unregister();
    }

    private SkBuff receive(NetDevice device) {
        int before = received.size();
        while (received.size() == before) {
            device.driver().awaitReadable(LONG_NS);
            device.napi().poll(1);
        }
        return received.getLast();
    }

    private static DatagramChannel socket() throws IOException {
        return DatagramChannel.open().bind(new InetSocketAddress("10.9.0.1", 0));
    }

    private static void send(DatagramChannel socket, byte[] payload) throws IOException {
        socket.send(ByteBuffer.wrap(payload), new InetSocketAddress("10.9.0.2", OUR_PORT));
    }

    @Test
    void whatLinuxSendsIsReceivedAsItWouldBeOnTheWire() throws IOException {
        NetDevice device = station();
        try (DatagramChannel socket = socket()) {
            byte[] payload = Packets.random(701, 1);
            send(socket, payload);
            SkBuff skb = receive(device);
            assertThat(skb.data() % 16).as("the IP header is aligned").isZero();
            assertThat(Packets.bytes(skb)).hasSize(729).endsWith(payload);
            assertThat(skb.meta().ipSummed()).isEqualTo(ChecksumState.UNNECESSARY);
            assertThat(udpSum(skb))
                    .as("the checksum that Linux left to the adapter")
                    .isZero();
        }
        close(device);
    }

    /** Returns 0 if the checksum is correct. */
    private static int udpSum(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int udpBytes = skb.len() - Ipv4.BYTES;
        int sum = InternetChecksum.add(Ipv4.PROTOCOL_UDP + udpBytes, memory, skb.data() + 12L, 8, false);
        return InternetChecksum.of(InternetChecksum.add(sum, memory, skb.data() + 20L, udpBytes, false));
    }

    @Test
    void whatIsSentLinuxReceivesAndTheSenderDoesNot() throws IOException {
        NetDevice device = station();
        try (DatagramChannel socket = socket();
                KernelInterface left = new KernelInterface("left")) {
            byte[] payload = Packets.random(700, 2);
            int port = ((InetSocketAddress) socket.getLocalAddress()).getPort();
            SkBuff skb = Packets.udp(pool, OURS, OUR_PORT, THEIRS, port, payload);
            Ethernet.write(skb.memory(), skb.push(Ethernet.BYTES), left.macAddress(), MAC, EtherType.IPV4);
            device.transmit(skb);
            ByteBuffer bytes = ByteBuffer.allocate(1000);
            socket.receive(bytes);
            assertThat(Arrays.copyOf(bytes.array(), bytes.position())).isEqualTo(payload);
            assertThat(device.stats().txBytes()).isEqualTo(742);
            device.napi().poll(64);
            assertThat(received).isEmpty();
        }
        close(device);
    }

    @Test
    void twoStationsTalkAndFramesKeepTheirOrder() {
        NetDevice right = station();
        NetDevice left = station("left", 0);
        for (int i = 0; i < 48; i++) {
            left.transmit(Frames.frame(pool, MAC, left.macAddress(), TYPE, new byte[100 + i]));
        }
        right.napi().poll(64);
        assertThat(received).as("as many as there are buffers").hasSize(48);
        for (int i = 0; i < 48; i++) {
            assertThat(received.get(i).len()).isEqualTo(100 + i);
        }
        left.unregister();
        close(right);
    }

    @Test
    void aVlanTagIsWhereItWas() {
        NetDevice right = station();
        List<byte[]> frames = new ArrayList<>();
        right.protocols().addTap(EtherType.ALL, skb -> {
            byte[] frame = new byte[skb.tail() - skb.macHeader()];
            MemorySegment.copy(skb.memory(), ValueLayout.JAVA_BYTE, skb.macHeader(), frame, 0, frame.length);
            frames.add(frame);
        });
        NetDevice left = station("left", 0);
        byte[] tagAndType = HexFormat.of().parseHex("b00788b5" + "0102030405060708");
        SkBuff skb = Frames.frame(pool, MAC, left.macAddress(), Ethernet.TYPE_SERVICE_VLAN, tagAndType);
        byte[] sent = Packets.bytes(skb);
        left.transmit(skb);
        right.napi().poll(64);
        assertThat(frames).contains(sent);
        left.unregister();
        close(right);
    }

    @Test
    void theLinkIsThatOfTheInterface() {
        NetDevice device = station();
        assertThat(device.mtu()).isEqualTo(1500);
        Shell.ip("link set left down");
        while (device.isCarrierOk()) {
            device.driver().awaitReadable(LONG_NS);
        }
        Shell.ip("link set right mtu 1400");
        while (device.mtu() != 1400) {
            device.driver().awaitReadable(LONG_NS);
        }
        Shell.ip("link del left");
        device.napi().poll(64);
        close(device);
    }

    @Test
    void whatCameWhileTheDeviceWasDownIsNotThereAfterwards() throws IOException {
        NetDevice device = station();
        try (DatagramChannel socket = socket()) {
            send(socket, new byte[10]);
            device.down();
            device.up();
            send(socket, new byte[20]);
            assertThat(receive(device).len()).isEqualTo(48);
        }
        close(device);
    }

    @Test
    void nothingIsAllocatedForAFrame() {
        cable();
        NetDevice left = station("left", 0);
        NetDevice right = station("right", MAC);
        right.protocols().addHandler(TYPE, SkBuff::free);
        SkBuff frame = Frames.frame(pool, MAC, left.macAddress(), TYPE, new byte[100]);
        assertThat(AllocatedBytes.leastOf(6, () -> {
                    for (int i = 0; i < 20_000; i++) {
                        left.transmit(frame.get());
                        right.napi().poll(4);
                    }
                }))
                .as("once in 4096 polls the link is looked at, by code that is not compiled yet")
                .isLessThan(1000);
        assertThat(left.stats().txPackets()).isEqualTo(120_000);
        assertThat(right.stats().rxPackets()).isEqualTo(120_000);
        frame.free();
        left.unregister();
        right.unregister();
    }

    @Test
    void whatCannotBeSaysWhy() {
        assertThatThrownBy(() -> PacketSocketDevice.open(PacketSocketSettings.of("nowhere")))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV))
                .hasMessageContaining("nowhere");
    }
}
