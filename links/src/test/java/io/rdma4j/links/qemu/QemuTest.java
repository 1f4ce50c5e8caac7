// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The peer is QEMU. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QemuTest {
    private static final String QEMU = "qemu-system-x86_64";
    private static final long OURS = MacAddress.parse("02:00:00:00:00:01");
    private static final long GUEST = MacAddress.parse("52:54:00:12:34:56");
    private static final int TYPE = 0x88B5;
    private static final long TIMEOUT_NS = 25_000_000_000L;

    @TempDir
    private Path directory;

    private final SkBuffPool pool = new SkBuffPool(8, 2048);
    private final List<NetDevice> devices = new ArrayList<>();
    private @Nullable Process qemu;

    @BeforeAll
    static void qemuIsThere() throws InterruptedException {
        try {
            Process version = new ProcessBuilder(QEMU, "-netdev", "help")
                    .redirectErrorStream(true)
                    .start();
            String help = new String(version.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            version.waitFor();
            Assumptions.assumeTrue(help.contains("dgram"), QEMU + " is older than 7.2: no -netdev stream and dgram");
        } catch (IOException e) {
            Assumptions.abort(QEMU + " is not installed");
        }
    }

    @AfterEach
    void close() throws InterruptedException {
        Process process = qemu;
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(8);
        pool.close();
    }

    private void start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(QEMU, "-nodefaults", "-display", "none"));
        command.addAll(List.of(arguments));
        qemu = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    private void work(BooleanSupplier done) throws IOException {
        long begin = System.nanoTime();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - begin)
                    .as(() -> "timeout; QEMU printed " + log())
                    .isLessThan(TIMEOUT_NS);
            for (NetDevice device : devices) {
                device.driver().awaitReadable(1_000_000);
                device.napi().poll(64);
            }
        }
    }

    private String log() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private NetDevice use(NetDevice device) {
        devices.add(device);
        device.up();
        return device;
    }

    private UnixDomainSocketAddress path() {
        return UnixDomainSocketAddress.of(directory.resolve("net0"));
    }

    /** Starts QEMU with only a hub that connects its two back ends. */
    @Test
    void aHubInQemuCarriesFramesBetweenAStreamAndADatagramDevice() throws IOException {
        int port;
        try (DatagramSocket free = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            port = free.getLocalPort();
        }
        NetDevice stream = use(QemuStreamDevice.connect(
                        QemuStreamDevice.setup("s0", 2, 9000, OURS, List.of()), path(), 10_000_000, NanoClock.SYSTEM)
                .netDevice());
        QemuDatagramDevice datagrams = QemuDatagramDevice.open(
                QemuDatagramDevice.setup("d0", 3, 9000, GUEST, List.of()),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        NetDevice dgram = use(datagrams.netDevice());
        start(
                "-machine",
                "none",
                "-netdev",
                "stream,id=a,server=on,addr.type=unix,addr.path=" + directory.resolve("net0"),
                "-netdev",
                "dgram,id=b,local.type=inet,local.host=127.0.0.1,local.port=" + port
                        + ",remote.type=inet,remote.host=127.0.0.1,remote.port=" + datagrams.port(),
                "-netdev",
                "hubport,id=ha,hubid=0,netdev=a",
                "-netdev",
                "hubport,id=hb,hubid=0,netdev=b");
        work(stream::isCarrierOk);
        List<byte[]> received = new ArrayList<>();
        for (NetDevice device : devices) {
            device.protocols().addHandler(TYPE, skb -> {
                received.add(Packets.bytes(skb));
                skb.free();
            });
        }
        byte[] there = Packets.random(1400, 1);
        byte[] back = Packets.random(1300, 2);
        stream.transmit(Frames.frame(pool, GUEST, OURS, TYPE, there));
        work(() -> received.size() == 1);
        dgram.transmit(Frames.frame(pool, OURS, GUEST, TYPE, back));
        work(() -> received.size() == 2);
        assertThat(received).containsExactly(there, back);
        assertThat(stream.stats().rxErrors() + dgram.stats().rxErrors()).isZero();
    }

    /** A virtual machine without a disk boots from its network adapter, whose firmware sends DHCP requests. */
    @Test
    void aGuestThatBootsFromTheNetworkIsHeard() throws IOException {
        NetDevice device = use(QemuStreamDevice.listen(QemuStreamDevice.setup("s0", 2, 1500, OURS, List.of()), path())
                .netDevice());
        AtomicInteger requests = new AtomicInteger();
        device.protocols().addHandler(EtherType.IPV4, skb -> {
            if (isDhcpRequest(skb)) {
                requests.incrementAndGet();
            }
            skb.free();
        });
        start(
                "-m",
                "32",
                "-boot",
                "n",
                "-netdev",
                "stream,id=a,server=off,addr.type=unix,addr.path=" + directory.resolve("net0"),
                "-device",
                "e1000,netdev=a,mac=" + MacAddress.toString(GUEST));
        work(() -> requests.get() > 0);
        assertThat(device.stats().rxErrors()).isZero();
    }

    private static boolean isDhcpRequest(SkBuff skb) {
        int udp = skb.data() + Ipv4.BYTES;
        return Ethernet.source(skb.memory(), skb.macHeader()) == GUEST
                && Ipv4.protocol(skb.memory(), skb.data()) == Ipv4.PROTOCOL_UDP
                && Udp.sourcePort(skb.memory(), udp) == 68
                && Udp.destinationPort(skb.memory(), udp) == 67;
    }
}
