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
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ethernet;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests a TAP link in a network namespace of its own: one end is the device, the other the kernel's. */
@ExtendWith(OwnNamespace.class)
@Timeout(60)
class TapDeviceTest {
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

    /** Opens a device. The kernel's end has an address and a neighbour entry for the device. */
    private NetDevice tap() {
        NetDevice device = TapDevice.open(new TapSettings("tap0", MAC, List.of(OURS), 0, 16))
                .netDevice();
        Shell.ip("addr add 10.9.0.1/24 dev tap0");
        Shell.ip("neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev tap0");
        device.protocols().addHandler(EtherType.IPV4, received::add);
        device.up();
        awaitState("tap0", "UP");
        return device;
    }

    /** Linux updates the link state with a short delay. */
    private static void awaitState(String name, String state) {
        long end = System.nanoTime() + LONG_NS;
        while (!Shell.ip("-o link show " + name).contains("state " + state)) {
            assertThat(System.nanoTime()).as("%s %s", name, state).isLessThan(end);
        }
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

    private SkBuff frame(DatagramChannel to, byte[] payload) throws IOException {
        int port = ((InetSocketAddress) to.getLocalAddress()).getPort();
        SkBuff skb = Packets.udp(pool, OURS, OUR_PORT, THEIRS, port, payload);
        Ethernet.write(skb.memory(), skb.push(Ethernet.BYTES), kernelMac(), MAC, EtherType.IPV4);
        return skb;
    }

    private static long kernelMac() {
        try (KernelInterface kernel = new KernelInterface("tap0")) {
            return kernel.macAddress();
        }
    }

    private static byte[] next(DatagramChannel socket) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(65_536);
        socket.receive(bytes);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    @Test
    void whatLinuxSendsTheDeviceReceives() throws IOException {
        NetDevice device = tap();
        try (DatagramChannel socket = socket()) {
            byte[] payload = Packets.random(700, 1);
            send(socket, payload);
            SkBuff skb = receive(device);
            assertThat(skb.data() % 16).as("the IP header is aligned").isZero();
            assertThat(Packets.bytes(skb)).hasSize(728).endsWith(payload);
            assertThat(device.stats().rxPackets()).isEqualTo(1);
            assertThat(device.stats().rxBytes()).isEqualTo(742);
        }
        close(device);
    }

    @Test
    void whatTheDeviceSendsLinuxReceives() throws IOException {
        NetDevice device = tap();
        try (DatagramChannel socket = socket()) {
            byte[] payload = Packets.random(700, 2);
            assertThat(device.transmit(frame(socket, payload))).isEqualTo(NetdevTx.OK);
            assertThat(next(socket)).isEqualTo(payload);
            assertThat(device.stats().txPackets()).isEqualTo(1);
            assertThat(device.stats().txBytes()).isEqualTo(742);
        }
        close(device);
    }

    @Test
    void theKernelGathersFragments() throws IOException {
        NetDevice device = tap();
        try (DatagramChannel socket = socket();
                Arena arena = Arena.ofConfined()) {
            byte[] payload = Packets.random(300, 3);
            MemorySegment memory = arena.allocate(300);
            MemorySegment.copy(payload, 0, memory, ValueLayout.JAVA_BYTE, 0, 300);
            SkBuff skb = frame(socket, payload);
            skb.trim(skb.len() - 300);
            skb.addFrag(memory, 0, 100);
            skb.addFrag(memory, 100, 200);
            device.transmit(skb);
            assertThat(next(socket)).isEqualTo(payload);
        }
        close(device);
    }

    @Test
    void aListOfBuffersIsOneFrame() throws IOException {
        NetDevice device = tap();
        try (DatagramChannel socket = socket()) {
            byte[] payload = Packets.random(300, 4);
            SkBuff skb = frame(socket, payload);
            skb.trim(skb.len() - 100);
            SkBuff rest = Packets.allocate(pool);
            MemorySegment.copy(payload, 200, rest.memory(), ValueLayout.JAVA_BYTE, rest.put(100), 100);
            skb.addFragList(rest);
            device.transmit(skb);
            assertThat(next(socket)).isEqualTo(payload);
        }
        close(device);
    }

    @Test
    void aFrameWhoseMemoryIsGoneIsAnError() throws IOException {
        NetDevice device = tap();
        try (DatagramChannel socket = socket()) {
            SkBuff skb = frame(socket, new byte[0]);
            try (Arena arena = Arena.ofConfined()) {
                skb.addFrag(arena.allocate(100), 0, 100);
            }
            assertThat(device.transmit(skb)).isEqualTo(NetdevTx.OK);
            assertThat(device.stats().txErrors()).isEqualTo(1);
        }
        close(device);
    }

    @Test
    void theLinkIsThereWhileBothEndsAreUp() {
        NetDevice device = tap();
        assertThat(device.isCarrierOk()).isTrue();

        Shell.ip("link set tap0 down");
        device.driver().awaitReadable(LONG_NS);
        assertThat(device.isCarrierOk()).isFalse();

        Shell.ip("link set tap0 up");
        device.driver().awaitReadable(LONG_NS);
        assertThat(device.isCarrierOk()).isTrue();

        device.down();
        awaitState("tap0", "DOWN");
        device.up();
        awaitState("tap0", "UP");
        close(device);
    }

    @Test
    void aThreadThatPollsOnlySeesTheLinkGo() {
        NetDevice device = tap();
        Shell.ip("link set tap0 down");
        long end = System.nanoTime() + LONG_NS;
        while (device.isCarrierOk() && System.nanoTime() < end) {
            device.napi().poll(1);
        }
        assertThat(device.isCarrierOk()).isFalse();
        close(device);
    }

    @Test
    void theMtuFollowsTheKernelsEnd() {
        NetDevice device =
                TapDevice.open(new TapSettings("tap0", 0, List.of(), 9000, 4)).netDevice();
        assertThat(device.mtu()).isEqualTo(9000);
        assertThat(Shell.ip("link show tap0")).contains("mtu 9000");
        device.up();
        Shell.ip("link set tap0 mtu 1400");
        device.driver().awaitReadable(LONG_NS);
        assertThat(device.mtu()).isEqualTo(1400);
        Shell.ip("link set tap0 mtu 65000");
        device.driver().awaitReadable(LONG_NS);
        assertThat(device.mtu()).as("what buffers were made for").isEqualTo(9000);
        assertThat(Shell.ip("link show tap0")).contains("mtu 65000");
        device.setMtu(1300);
        assertThat(Shell.ip("link show tap0")).contains("mtu 1300");
        close(device);
    }

    @Test
    void whatCameWhileTheDeviceWasDownIsNotThereAfterwards() throws IOException {
        NetDevice device = tap();
        try (DatagramChannel socket = socket()) {
            send(socket, new byte[10]);
            device.down();
            device.up();
            awaitState("tap0", "UP");
            send(socket, new byte[20]);
            assertThat(receive(device).len()).isEqualTo(48);
        }
        close(device);
    }

    @Test
    void framesWaitInTheKernelWhileNoBufferIsFree() throws IOException {
        NetDevice device = tap();
        try (DatagramChannel socket = socket()) {
            for (int i = 0; i < 20; i++) {
                send(socket, new byte[100 + i]);
            }
            device.napi().poll(64);
            assertThat(received).hasSize(16);
            received.forEach(SkBuff::free);
            received.clear();
            device.napi().poll(64);
            assertThat(received).hasSize(4);
            assertThat(received.getLast().len()).isEqualTo(28 + 119);
        }
        close(device);
    }

    @Test
    void aSleeperIsCalled() throws InterruptedException {
        NetDevice device = tap();
        device.driver().wakeup();
        device.driver().awaitReadable(LONG_NS);
        Thread sleeper = Thread.ofPlatform().start(() -> device.driver().awaitReadable(TimeUnit.HOURS.toNanos(1)));
        device.driver().wakeup();
        sleeper.join();
        close(device);
        device.driver().wakeup();
    }

    @Test
    void nothingIsAllocatedForAFrame() {
        NetDevice left = TapDevice.open(TapSettings.of("left")).netDevice();
        NetDevice right =
                TapDevice.open(new TapSettings("right", MAC, List.of(), 0, 16)).netDevice();
        right.protocols().addHandler(TYPE, SkBuff::free);
        left.up();
        right.up();
        bridge("left", "right");
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
        assertThat(right.stats().rxPackets()).isBetween(118_000L, 120_000L);
        frame.free();
        left.unregister();
        right.unregister();
    }

    private static void bridge(String... ports) {
        Shell.ip("link add br0 type bridge");
        for (String port : ports) {
            Shell.ip("link set " + port + " master br0");
        }
        Shell.ip("link set br0 up");
        awaitState("br0", "UP");
    }

    @Test
    void anInterfaceThatStaysIsThereAfterwardsAndOneThatWasMadeIsNot() {
        Shell.ip("tuntap add stays mode tap");
        TapDevice.open(TapSettings.of("stays")).netDevice().unregister();
        TapDevice.open(TapSettings.of("goes")).netDevice().unregister();
        assertThat(Shell.ip("-o link show")).contains("stays").doesNotContain("goes");
        assertThat(Shell.ip("-o link show stays")).as("left as it was").contains("state DOWN");
    }

    @Test
    void whatCannotBeSaysWhy() {
        assertRefused(TapSettings.of("lo"), Errno.EINVAL, "no TAP interface");
        assertRefused(TapSettings.of("a-name-too-long-for-linux"), Errno.EINVAL, "15 bytes");
        assertRefused(new TapSettings("tap1", 0, List.of(), 20, 1), Errno.EINVAL, "MTU 20");
        NetDevice device = tap();
        assertRefused(TapSettings.of("tap0"), Errno.EBUSY, "another program");
        close(device);
        Shell.ip("tuntap add tap0 mode tap");
        assertRefused(new TapSettings("tap0", kernelMac(), List.of(), 0, 1), Errno.EADDRINUSE, "another one");
    }

    private static void assertRefused(TapSettings settings, Errno errno, String reason) {
        assertThatThrownBy(() -> TapDevice.open(settings))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContaining(reason)
                .hasMessageContaining(settings.interfaceName());
    }
}
