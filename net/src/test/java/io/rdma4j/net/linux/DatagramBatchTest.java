package io.rdma4j.net.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.Packets;
import io.rdma4j.net.driver.UdpUnderlaySettings;
import io.rdma4j.net.ip.IpSettings;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Ipv4;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which packets the driver sends with one call. */
class DatagramBatchTest {
    /** Packets that are still to be finished, though these need nothing but a copy. */
    private static final PacketOffload COPY = new PacketOffload() {
        @Override
        public int segmentBytes(SkBuff train, int index) {
            return train.len();
        }

        @Override
        public boolean segment(SkBuff train, int index, SkBuff target) {
            int at = target.put(train.len());
            train.copyBits(0, target.memory(), at, train.len());
            return true;
        }
    };

    private static final long PATIENCE_NS = 5_000_000_000L;

    private final SkBuffPool pool = new SkBuffPool(100, 5000);
    private final List<NetDevice> devices = new ArrayList<>();
    private final List<Integer> lengths = new ArrayList<>();
    private final List<Integer> contents = new ArrayList<>();
    private final List<Integer> identifications = new ArrayList<>();
    private int sent;

    @BeforeEach
    void assumeLinux() {
        assumeTrue(LinuxUdpDevice.isSupported(), "this is no Linux, or the JVM may not call it");
    }

    @AfterEach
    void everyBufferIsFree() {
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(pool.count());
        pool.close();
    }

    private static boolean isLocal(String address) {
        try (DatagramSocket _ = new DatagramSocket(0, InetAddress.ofLiteral(address))) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private NetDevice open(String address) {
        NetDevice device = LinuxUdpDevice.open(UdpUnderlaySettings.of("udp0", 1, InetAddress.ofLiteral(address))
                        .withPort(0))
                .netDevice();
        devices.add(device);
        device.up();
        return device;
    }

    private NetDevice listen(String address) {
        NetDevice device = open(address);
        IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
        stack.add(device);
        stack.udp().register(device.driver().udpSourcePort(), skb -> {
            lengths.add(skb.len());
            contents.add(content(skb));
            if (Ipv4.version(skb.memory(), skb.networkHeader()) == Ipv4.VERSION) {
                identifications.add(Ipv4.identification(skb.memory(), skb.networkHeader()));
            }
            skb.free();
        });
        return device;
    }

    /** The one value that all bytes have; -1 if they have not. */
    private static int content(SkBuff skb) {
        byte first = skb.memory().get(ValueLayout.JAVA_BYTE, skb.data());
        for (int at = skb.data(); at < skb.tail(); at++) {
            if (skb.memory().get(ValueLayout.JAVA_BYTE, at) != first) {
                return -1;
            }
        }
        return first;
    }

    private void send(NetDevice from, NetDevice to, int bytes) {
        send(from, to, bytes, COPY);
    }

    private void send(NetDevice from, NetDevice to, int bytes, PacketOffload offload) {
        byte[] payload = new byte[bytes];
        Arrays.fill(payload, (byte) ++sent);
        Gid local = from.addresses().getFirst();
        SkBuff skb = Packets.udp(
                pool,
                local,
                from.driver().udpSourcePort(),
                to.addresses().getFirst(),
                to.driver().udpSourcePort(),
                payload);
        skb.offload(offload);
        from.transmit(skb);
    }

    private static long calls(NetDevice device) {
        return device.ethtool().statistics().getOrDefault("tx_calls", -1L);
    }

    private void receive(NetDevice device, int packets) {
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (lengths.size() < packets && System.nanoTime() < endNs) {
            device.napi().poll(64);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void packetsOfOneSizeAndAShorterOneBehindThemGoWithOneCall(String address) {
        assumeTrue(isLocal(address), address + " is not an address of this machine");
        NetDevice a = open(address);
        NetDevice b = listen(address);
        send(a, b, 1000);
        send(a, b, 1000);
        send(a, b, 20);
        assertThat(calls(a)).as("before the flush").isZero();
        assertThat(a.flush()).isTrue();
        assertThat(calls(a)).isEqualTo(1);
        receive(b, 3);
        assertThat(lengths).containsExactly(1000, 1000, 20);
        assertThat(contents).containsExactly(1, 2, 3);
        if (address.equals("127.0.0.1")) {
            assertThat(identifications).as("as they are counted up").containsExactly(0, 1, 2);
        }
        assertThat(a.stats().txPackets()).isEqualTo(3);
        assertThat(a.stats().txBytes()).isEqualTo(b.stats().rxBytes());
    }

    @Test
    void aLongerPacketAndWhateverComesBehindAShorterOneBeginAnotherCall() {
        NetDevice a = open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        send(a, b, 20);
        send(a, b, 1000);
        send(a, b, 500);
        send(a, b, 500);
        a.flush();
        assertThat(calls(a)).isEqualTo(3);
        receive(b, 4);
        assertThat(lengths).containsExactly(20, 1000, 500, 500);
    }

    @Test
    void aPacketWhoseMemoryIsGoneLeavesTheOthersAsTheyAre() {
        PacketOffload gone = new PacketOffload() {
            @Override
            public int segmentBytes(SkBuff train, int index) {
                return train.len();
            }

            @Override
            public boolean segment(SkBuff train, int index, SkBuff target) {
                int at = target.put(train.len());
                target.memory().asSlice(at, train.len()).fill((byte) 0xEE);
                return false;
            }
        };
        NetDevice a = open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        send(a, b, 100, gone);
        send(a, b, 100);
        send(a, b, 100, gone);
        send(a, b, 100, gone);
        send(a, b, 100);
        a.flush();
        assertThat(calls(a)).isEqualTo(1);
        assertThat(a.stats().txErrors()).isEqualTo(3);
        receive(b, 2);
        assertThat(contents).containsExactly(2, 5);
    }

    @Test
    void packetsToOthersBeginAnotherCall() {
        NetDevice a = open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        NetDevice c = listen("127.0.0.2");
        send(a, b, 100);
        send(a, c, 100);
        send(a, b, 100);
        a.flush();
        assertThat(calls(a)).isEqualTo(3);
        receive(b, 2);
        receive(c, 3);
        assertThat(lengths).hasSize(3);
    }

    @Test
    void noMoreGoWithOneCallThanTheSystemTakes() {
        NetDevice a = open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        for (int i = 0; i < DatagramBatch.MAX_DATAGRAMS + 1; i++) {
            send(a, b, 100);
        }
        a.flush();
        assertThat(calls(a)).as("64 datagrams").isEqualTo(2);
        receive(b, DatagramBatch.MAX_DATAGRAMS + 1);
        lengths.clear();
        for (int i = 0; i < 20; i++) {
            send(a, b, 4000);
        }
        a.flush();
        assertThat(calls(a)).as("65,000 bytes").isEqualTo(4);
        receive(b, 20);
        assertThat(lengths).hasSize(20);
    }

    @Test
    void whatWasGatheredIsLostWhenTheDeviceGoesDown() {
        NetDevice a = open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        send(a, b, 100);
        a.down();
        assertThat(a.stats().txErrors()).isEqualTo(1);
        assertThat(calls(a)).isZero();
    }
}
