// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.SnmpCounter;
import io.rdma4j.loop.socket.UdpSocket;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Test cases for every driver over UDP sockets. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class UdpDeviceCases {
    private static final int MAX_DATAGRAM = 4224;
    private static final long TIMEOUT_NS = 5_000_000_000L;

    private final SkBuffPool pool = new SkBuffPool(4, 66_000);
    private final List<NetDevice> devices = new ArrayList<>();

    @AfterEach
    void close() {
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(4);
        pool.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void whatArrivesIsWhatWasSent(String address) {
        assumeAddress(address);
        NetDevice a = open(address);
        NetDevice b = open(address);
        List<byte[]> payloads = new ArrayList<>();
        IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
        stack.add(b);
        stack.udp().register(b.driver().udpSourcePort(), skb -> {
            checkHeaders(skb, a, b);
            payloads.add(Packets.bytes(skb));
            skb.free();
        });
        List<byte[]> sent = List.of(
                Packets.random(0, 0), Packets.random(1, 1), Packets.random(16, 2), Packets.random(MAX_DATAGRAM, 3));
        for (byte[] payload : sent) {
            assertThat(a.transmit(packet(a, b, payload))).isEqualTo(NetdevTx.OK);
        }
        receive(b, sent.size());
        assertThat(payloads).containsExactlyElementsOf(sent);
        assertThat(a.stats().txPackets()).isEqualTo(sent.size());
        assertThat(a.stats().txBytes()).isEqualTo(b.stats().rxBytes());
        assertThat(stack.counters().get(SnmpCounter.IN_HDR_ERRORS)).isZero();
    }

    private static void checkHeaders(SkBuff skb, NetDevice a, NetDevice b) {
        int udp = skb.transportHeader();
        assertThat(Udp.sourcePort(skb.memory(), udp)).isEqualTo(a.driver().udpSourcePort());
        assertThat(Udp.destinationPort(skb.memory(), udp)).isEqualTo(b.driver().udpSourcePort());
        Gid local = b.addresses().getFirst();
        int ip = skb.networkHeader();
        if (local.isIpv4()) {
            assertThat(Ipv4.source(skb.memory(), ip)).isEqualTo(local.ipv4());
            assertThat(Ipv4.destination(skb.memory(), ip)).isEqualTo(local.ipv4());
            assertThat(Ipv4.identification(skb.memory(), ip)).isZero();
            assertThat(Ipv4.dontFragment(skb.memory(), ip)).isTrue();
            assertThat(Ipv4.timeToLive(skb.memory(), ip)).isEqualTo(64);
        } else {
            assertThat(Ipv6.source(skb.memory(), ip)).isEqualTo(local);
            assertThat(Ipv6.destination(skb.memory(), ip)).isEqualTo(local);
            assertThat(Ipv6.hopLimit(skb.memory(), ip)).isEqualTo(64);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void steadyStateAllocatesNothing(String address) {
        assumeAddress(address);
        NetDevice a = open(address);
        NetDevice b = open(address);
        IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
        stack.add(b);
        stack.udp().register(b.driver().udpSourcePort(), SkBuff::free);
        byte[] payload = new byte[256];
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 20_000; i++) {
                a.transmit(packet(a, b, payload));
                while (b.napi().poll(8) == 0) {
                    Thread.onSpinWait();
                }
            }
        });
        assertThat(bytes).isZero();
        assertThat(stack.counters().get(SnmpCounter.UDP_IN_DATAGRAMS))
                .isEqualTo(a.stats().txPackets());
    }

    @Test
    void deviceHasTheFeaturesAndTheMtuOfItsLink() {
        UdpDriver driver = driver(settings("127.0.0.1"));
        devices.add(driver.netDevice());
        assertThat(driver.netDevice().flags().has(PrivateFlag.HIDDEN_IDENTIFICATION))
                .isTrue();
        assertThat(driver.netDevice().flags().has(PrivateFlag.UDP_ONLY)).isTrue();
        assertThat(driver.netDevice().mtu()).isGreaterThanOrEqualTo(16_384);
        assertThat(driver.netDevice().addresses()).containsExactly(Gid.parse("127.0.0.1"));
        assertThat(driver.udpSourcePort()).isPositive();
        assertThat(driver.receiveBufferBytes()).isPositive();
        assertThat(driver.sendBufferBytes()).isPositive();
    }

    @Test
    void itFollowsTheAddressesOfItsInterface() {
        UdpDriver driver = driver(settings("127.0.0.1"));
        register(driver);
        int port = driver.udpSourcePort();
        assertThat(follow(driver, "127.0.0.1", "127.0.0.98")).isEqualTo(gids("127.0.0.1", "127.0.0.98"));
        assertThat(driver.sockets()).isEqualTo(2);
        assertThat(follow(driver, "127.0.0.98")).isEqualTo(gids("127.0.0.98"));
        assertThat(follow(driver, "192.0.2.1", "127.0.0.98"))
                .as("192.0.2.1 cannot be bound")
                .isEqualTo(gids("127.0.0.98"));
        assertThat(follow(driver)).isEmpty();
        assertThat(driver.sockets()).isZero();
        assertThat(driver.receiveBufferBytes() + driver.sendBufferBytes()).isZero();
        assertThat(driver.netDevice().napi().poll(8)).isZero();
        assertThat(driver.udpSourcePort()).isEqualTo(port);
        assertThat(follow(driver, "127.0.0.1")).isEqualTo(gids("127.0.0.1"));
        driver.netDevice().ip().setGids(gids("127.0.0.1"));
        NetDevice peer = open("127.0.0.1");
        assertThat(peer.transmit(packet(peer, driver.netDevice(), new byte[10])))
                .isEqualTo(NetdevTx.OK);
        receive(driver.netDevice(), 1);
    }

    private static List<Gid> follow(UdpDriver driver, String... addresses) {
        return driver.follow(
                Arrays.stream(addresses).map(InetAddress::ofLiteral).toList());
    }

    private static List<Gid> gids(String... addresses) {
        return Arrays.stream(addresses).map(Gid::parse).toList();
    }

    @Test
    void peerThatIsGoneDoesNoHarm() {
        NetDevice a = open("127.0.0.1");
        NetDevice b = open("127.0.0.1");
        b.unregister();
        for (int i = 0; i < 100; i++) {
            assertThat(a.transmit(packet(a, b, new byte[10]))).isEqualTo(NetdevTx.OK);
            a.napi().poll(8);
        }
        // It depends on the system whether an unconnected socket reports the error: Linux does not.
        assertThat(a.stats().txPackets() + a.stats().txErrors()).isEqualTo(100);
    }

    @Test
    void datagramThatTheLinkCannotTakeIsAnError() {
        NetDevice a = open("127.0.0.1");
        NetDevice b = open("127.0.0.1");
        a.transmit(packet(a, b, new byte[65_508]));
        assertThat(a.stats().txErrors()).isEqualTo(1);
        assertThat(a.stats().txPackets()).isZero();
    }

    @Test
    @Covers("NDEV-132")
    void unreachableAndImpossibleDestinationsAreErrors() {
        NetDevice a = open("127.0.0.1");
        Gid local = a.addresses().getFirst();
        // A packet from a loopback address cannot leave the machine, port 0 is invalid, and the socket has no IPv6.
        a.transmit(Packets.udp(pool, local, 1, Gid.parse("192.0.2.1"), 4791, new byte[8]));
        a.transmit(Packets.udp(pool, local, 1, local, 0, new byte[8]));
        a.transmit(Packets.udp(pool, local, 1, Gid.parse("fd00::1"), 4791, new byte[8]));
        SkBuff stump = Packets.allocate(pool);
        stump.put(27);
        a.transmit(stump);
        assertThat(a.stats().txErrors()).isEqualTo(4);
        assertThat(a.ethtool().statistics()).containsEntry("tx_no_socket", 2L).containsEntry("tx_refused", 2L);
    }

    @Test
    void datagramLongerThanABufferIsAnErrorAndTheNextOneArrives() throws IOException {
        NetDevice b = open("127.0.0.1");
        b.rxHandler().registerReceiver(SkBuff::free);
        try (DatagramSocket stranger = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            send(stranger, b, new byte[MAX_DATAGRAM + 1]);
            send(stranger, b, new byte[9000]);
            send(stranger, b, new byte[MAX_DATAGRAM]);
        }
        receive(b, 1);
        assertThat(b.stats().rxErrors()).isEqualTo(2);
        assertThat(b.ethtool().statistics()).containsEntry("rx_too_long", 2L);
        assertThat(b.stats().rxPackets()).isEqualTo(1);
    }

    private static void send(DatagramSocket from, NetDevice to, byte[] payload) throws IOException {
        from.send(new DatagramPacket(
                payload,
                payload.length,
                to.addresses().getFirst().toInetAddress(),
                to.driver().udpSourcePort()));
    }

    @Test
    void packetsWaitInTheSocketWhileAllBuffersAreInUse() {
        UdpUnderlaySettings few = new UdpUnderlaySettings(
                "u1", 1, List.of(InetAddress.ofLiteral("127.0.0.1")), 0, MAX_DATAGRAM, 2, false);
        NetDevice b = register(driver(few));
        NetDevice a = open("127.0.0.1");
        List<SkBuff> held = new ArrayList<>();
        b.rxHandler().registerReceiver(held::add);
        for (int i = 0; i < 3; i++) {
            a.transmit(packet(a, b, new byte[] {(byte) i}));
        }
        receive(b, 2);
        assertThat(b.napi().poll(8)).isZero();
        assertThat(b.ethtool().statistics())
                .hasEntrySatisfying("rx_no_buffer", polls -> assertThat(polls).isPositive());
        assertThat(b.ethtool().driverInfo().driver()).startsWith("udp-");
        assertThat(b.ethtool().channels().rx()).isEqualTo(1);
        assertThat(b.ethtool().linkSettings().speedMbps()).isEqualTo(LinkSettings.UNKNOWN);
        held.removeFirst().free();
        assertThat(b.napi().poll(8)).isEqualTo(1);
        assertThat(Packets.bytes(held.getLast())).endsWith((byte) 2);
        held.forEach(SkBuff::free);
    }

    @Test
    @Covers({"RXE-2", "RXE-139"})
    void interfaceWithSeveralAddressesSendsFromAndReceivesOnEach() {
        assumeAddress("::1");
        UdpUnderlaySettings both = UdpUnderlaySettings.of(
                        "u0", 1, InetAddress.ofLiteral("127.0.0.31"), InetAddress.ofLiteral("::1"))
                .withPort(0);
        NetDevice a = register(driver(both));
        NetDevice v4 = open("127.0.0.1");
        NetDevice v6 = open("::1");
        List<Gid> sources = new ArrayList<>();
        v4.rxHandler().registerReceiver(skb -> {
            sources.add(Gid.ofIpv4(Ipv4.source(skb.memory(), skb.data())));
            skb.free();
        });
        v6.rxHandler().registerReceiver(skb -> {
            sources.add(new Gid(
                    Ipv6.sourcePrefix(skb.memory(), skb.data()), Ipv6.sourceInterfaceId(skb.memory(), skb.data())));
            skb.free();
        });
        a.rxHandler().registerReceiver(SkBuff::free);
        for (NetDevice peer : List.of(v4, v6)) {
            Gid own = a.addresses().get(peer == v4 ? 0 : 1);
            Gid theirs = peer.addresses().getFirst();
            a.transmit(Packets.udp(
                    pool, own, a.driver().udpSourcePort(), theirs, peer.driver().udpSourcePort(), new byte[5]));
            receive(peer, 1);
            peer.transmit(Packets.udp(
                    pool, theirs, peer.driver().udpSourcePort(), own, a.driver().udpSourcePort(), new byte[6]));
            receive(a, 1);
        }
        assertThat(sources).isEqualTo(a.addresses());
        a.transmit(
                Packets.udp(pool, v4.addresses().getFirst(), 1, v4.addresses().getFirst(), 2, new byte[1]));
        assertThat(a.stats().txErrors()).as("a source that is not ours").isEqualTo(1);
    }

    @Test
    void portInUseSaysHowToGoOn() {
        NetDevice a = open("127.0.0.1");
        UdpUnderlaySettings same = settings("127.0.0.1").withPort(a.driver().udpSourcePort());
        assertThatThrownBy(() -> driver(same))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE))
                .hasMessageContaining("in use by another process")
                .hasMessageContaining("RDMA4J_DEVICES=rxe0=udp:127.0.0.1:" + (same.port() + 1));
    }

    @Test
    void theExampleOfAnotherPortIsADeviceThatCanBeGiven() {
        assertThat(UdpSocket.withOtherPort(InetAddress.ofLiteral("127.0.0.1"), 4791))
                .isEqualTo("rxe0=udp:127.0.0.1:4792");
        assertThat(UdpSocket.withOtherPort(InetAddress.ofLiteral("fd00::1"), 0xFFFF))
                .isEqualTo("rxe0=udp:[fd00:0:0:0:0:0:0:1]:65534");
    }

    @Test
    void addressesThatAreNotOursAreRefused() {
        assertThatThrownBy(() -> driver(settings("192.0.2.1")))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
        for (String useless : List.of("0.0.0.0", "::", "224.0.0.1")) {
            assertThatThrownBy(() -> settings(useless))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
    }

    /** The second address is not local. After the failure the first address is free again. */
    @Test
    @Covers({"RXE-2", "RXE-3"})
    void anInterfaceThatCannotHaveAllItsAddressesHoldsNone() {
        NetDevice a = open("127.0.0.1");
        int port = a.driver().udpSourcePort();
        a.unregister();
        UdpUnderlaySettings both = UdpUnderlaySettings.of(
                        "u0", 1, InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("192.0.2.1"))
                .withPort(port);
        assertThatThrownBy(() -> driver(both))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
        NetDevice again = register(driver(settings("127.0.0.1").withPort(port)));
        assertThat(again.driver().udpSourcePort()).isEqualTo(port);
    }

    @Test
    void settingsAreChecked() {
        InetAddress local = InetAddress.ofLiteral("127.0.0.1");
        assertThat(UdpUnderlaySettings.of("u0", 1, local).port()).isEqualTo(4791);
        assertThatThrownBy(() -> new UdpUnderlaySettings("u0", 1, List.of(local), -1, 100, 1, false))
                .isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> new UdpUnderlaySettings("u0", 1, List.of(local), 65_536, 100, 1, false))
                .isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> new UdpUnderlaySettings("u0", 1, List.of(local), 1, 0, 1, false))
                .isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> new UdpUnderlaySettings("u0", 1, List.of(local), 1, 65_508, 1, false))
                .isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> new UdpUnderlaySettings("u0", 1, List.of(local), 1, 100, 0, false))
                .isInstanceOf(RdmaException.class);
    }

    /** An interrupted application thread may poll the device; this must not close the channel. */
    @Test
    void interruptedThreadSendsAndReceives() {
        NetDevice a = open("127.0.0.1");
        NetDevice b = open("127.0.0.1");
        b.rxHandler().registerReceiver(SkBuff::free);
        Thread.currentThread().interrupt();
        a.transmit(packet(a, b, new byte[10]));
        int first = b.napi().poll(8);
        assertThat(Thread.interrupted()).isTrue();
        a.transmit(packet(a, b, new byte[10]));
        receive(b, 2 - first);
        assertThat(a.stats().txErrors()).isZero();
        assertThat(b.stats().rxErrors()).isZero();
    }

    @Test
    void sleepEndsWithAPacketAWakeupTheTimeOrTheEnd() throws InterruptedException {
        NetDevice a = open("127.0.0.1");
        NetDevice b = open("127.0.0.1");
        b.rxHandler().registerReceiver(SkBuff::free);
        a.transmit(packet(a, b, new byte[10]));
        b.driver().awaitReadable(Long.MAX_VALUE);
        receive(b, 1);
        b.driver().wakeup();
        b.driver().awaitReadable(Long.MAX_VALUE);
        long start = System.nanoTime();
        b.driver().awaitReadable(0);
        b.driver().awaitReadable(2_000_000);
        assertThat(System.nanoTime() - start).isBetween(1_000_000L, TIMEOUT_NS);
        Thread sleeper = Thread.ofPlatform().start(() -> b.driver().awaitReadable(Long.MAX_VALUE));
        b.unregister();
        sleeper.join();
        b.driver().awaitReadable(Long.MAX_VALUE);
    }

    private SkBuff packet(NetDevice from, NetDevice to, byte[] payload) {
        return Packets.udp(
                pool,
                from.addresses().getFirst(),
                from.driver().udpSourcePort(),
                to.addresses().getFirst(),
                to.driver().udpSourcePort(),
                payload);
    }

    private static void receive(NetDevice device, int packets) {
        long end = System.nanoTime() + TIMEOUT_NS;
        int received = 0;
        while (received < packets && System.nanoTime() - end < 0) {
            int polled = device.napi().poll(packets - received);
            received += polled;
            if (polled == 0) {
                device.driver().awaitReadable(1_000_000);
            }
        }
        assertThat(received).isEqualTo(packets);
    }

    /** Creates the driver under test. */
    protected abstract UdpDriver driver(UdpUnderlaySettings settings);

    private static UdpUnderlaySettings settings(String address) {
        return UdpUnderlaySettings.of("u0", 1, InetAddress.ofLiteral(address)).withPort(0);
    }

    private NetDevice open(String address) {
        return register(driver(settings(address)));
    }

    private NetDevice register(UdpDriver driver) {
        NetDevice device = driver.netDevice();
        devices.add(device);
        device.up();
        return device;
    }

    private static void assumeAddress(String address) {
        try (DatagramSocket _ = new DatagramSocket(0, InetAddress.ofLiteral(address))) {
            return;
        } catch (IOException e) {
            Assumptions.abort(address + " is not an address of this machine: " + e.getMessage());
        }
    }
}
