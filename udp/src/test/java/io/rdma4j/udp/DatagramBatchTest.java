// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which packets the driver sends with one call. */
class DatagramBatchTest {
    private final UdpBench bench = new UdpBench();
    private final List<Integer> lengths = new ArrayList<>();
    private final List<Integer> contents = new ArrayList<>();
    private final List<Integer> identifications = new ArrayList<>();

    @BeforeEach
    void assumeLinux() {
        assumeTrue(LinuxUdpDevice.isSupported(), "this is no Linux, or the JVM may not call it");
    }

    @AfterEach
    void everyBufferIsFree() {
        bench.close();
    }

    private static boolean isLocal(String address) {
        try (DatagramSocket _ = new DatagramSocket(0, InetAddress.ofLiteral(address))) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private NetDevice listen(String address) {
        return bench.listen(address, skb -> {
            lengths.add(skb.len());
            contents.add(content(skb));
            if (Ipv4.version(skb.memory(), skb.networkHeader()) == Ipv4.VERSION) {
                identifications.add(Ipv4.identification(skb.memory(), skb.networkHeader()));
            }
            skb.free();
        });
    }

    /** Returns the value that all bytes have; -1 if they differ. */
    private static int content(SkBuff skb) {
        byte first = skb.memory().get(ValueLayout.JAVA_BYTE, skb.data());
        for (int at = skb.data(); at < skb.tail(); at++) {
            if (skb.memory().get(ValueLayout.JAVA_BYTE, at) != first) {
                return -1;
            }
        }
        return first;
    }

    private static long calls(NetDevice device) {
        return device.ethtool().statistics().getOrDefault("tx_calls", -1L);
    }

    private void receive(NetDevice device, int packets) {
        UdpBench.receive(device, () -> lengths.size() >= packets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void packetsOfOneSizeAndAShorterOneBehindThemGoWithOneCall(String address) {
        assumeTrue(isLocal(address), address + " is not an address of this machine");
        NetDevice a = bench.open(address);
        NetDevice b = listen(address);
        bench.send(a, b, 1000);
        bench.send(a, b, 1000);
        bench.send(a, b, 20);
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
        NetDevice a = bench.open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        bench.send(a, b, 20);
        bench.send(a, b, 1000);
        bench.send(a, b, 500);
        bench.send(a, b, 500);
        a.flush();
        assertThat(calls(a)).isEqualTo(3);
        receive(b, 4);
        assertThat(lengths).containsExactly(20, 1000, 500, 500);
    }

    @Test
    void aPacketWhoseMemoryIsGoneLeavesTheOthersAsTheyAre() {
        PacketOffload gone = new UdpBench.Copy() {
            @Override
            public boolean segment(SkBuff train, int index, SkBuff target) {
                super.segment(train, index, target);
                return false;
            }
        };
        NetDevice a = bench.open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        bench.send(a, b, 100, gone);
        bench.send(a, b, 100);
        bench.send(a, b, 100, gone);
        bench.send(a, b, 100, gone);
        bench.send(a, b, 100);
        a.flush();
        assertThat(calls(a)).isEqualTo(1);
        assertThat(a.stats().txErrors()).isEqualTo(3);
        receive(b, 2);
        assertThat(contents).containsExactly(2, 5);
    }

    @Test
    void packetsToOthersBeginAnotherCall() {
        NetDevice a = bench.open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        NetDevice c = listen("127.0.0.2");
        bench.send(a, b, 100);
        bench.send(a, c, 100);
        bench.send(a, b, 100);
        a.flush();
        assertThat(calls(a)).isEqualTo(3);
        receive(b, 2);
        receive(c, 3);
        assertThat(lengths).hasSize(3);
    }

    @Test
    void noMoreGoWithOneCallThanTheSystemTakes() {
        NetDevice a = bench.open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        for (int i = 0; i < DatagramBatch.MAX_DATAGRAMS + 1; i++) {
            bench.send(a, b, 100);
        }
        a.flush();
        assertThat(calls(a)).as("64 datagrams").isEqualTo(2);
        receive(b, DatagramBatch.MAX_DATAGRAMS + 1);
        lengths.clear();
        for (int i = 0; i < 20; i++) {
            bench.send(a, b, 4000);
        }
        a.flush();
        assertThat(calls(a)).as("65,000 bytes").isEqualTo(4);
        receive(b, 20);
        assertThat(lengths).hasSize(20);
    }

    @Test
    void whatWasGatheredIsLostWhenTheDeviceGoesDown() {
        NetDevice a = bench.open("127.0.0.1");
        NetDevice b = listen("127.0.0.1");
        bench.send(a, b, 100);
        a.down();
        assertThat(a.stats().txErrors()).isEqualTo(1);
        assertThat(calls(a)).isZero();
    }
}
