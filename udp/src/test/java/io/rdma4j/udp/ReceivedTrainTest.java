// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.ip.UdpEncapHandler;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.OffloadGroup;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.TrainCutter;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A message that Linux has merged (GRO) is delivered in one buffer to a handler that accepts trains, and only to such a
 * handler.
 */
class ReceivedTrainTest {
    private final UdpBench bench = new UdpBench();

    /** "datagrams x bytes" of each buffer. */
    private final List<String> buffers = new ArrayList<>();

    private final List<String> datagrams = new ArrayList<>();
    private boolean takesTrains = true;
    private NetDevice from;
    private NetDevice to;

    /** Accepts trains, and cuts them. */
    private final class Handler implements UdpEncapHandler {
        private final TrainCutter cutter = new TrainCutter();

        @Override
        public boolean takesTrains() {
            return takesTrains;
        }

        @Override
        public void receive(SkBuff skb) {
            buffers.add(
                    (skb.shinfo().isGso()
                            ? skb.shinfo().gsoSegs() + "x" + skb.shinfo().gsoSize()
                            : "1x" + skb.len()));
            if (skb.shinfo().isGso()) {
                cutter.begin(skb);
                while (cutter.next(skb)) {
                    see(skb);
                }
            } else {
                see(skb);
            }
            skb.free();
        }

        private void see(SkBuff skb) {
            int ip = skb.networkHeader();
            assertThat(Udp.length(skb.memory(), skb.transportHeader())).isEqualTo(skb.len() + Udp.BYTES);
            assertThat(Ipv4.totalLength(skb.memory(), ip)).isEqualTo(skb.len() + Udp.BYTES + Ipv4.BYTES);
            datagrams.add(Ipv4.identification(skb.memory(), ip) + ":" + skb.len() + ":"
                    + skb.memory().get(ValueLayout.JAVA_BYTE, skb.data()));
        }
    }

    @BeforeEach
    void open() {
        assumeTrue(LinuxUdpDevice.isSupported(), "this is no Linux, or the JVM may not call it");
        from = bench.open("127.0.0.1");
        to = bench.listen("127.0.0.1", new Handler());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void exchange(int... lengths) {
        for (int length : lengths) {
            bench.send(from, to, length);
        }
        from.flush();
        int all = datagrams.size() + lengths.length;
        UdpBench.receive(to, () -> datagrams.size() >= all);
    }

    @Test
    void datagramsOfOneCallAreOneBufferAndCountAsSoMany() {
        exchange(100, 100, 100, 20);
        assertThat(buffers).containsExactly("4x100");
        assertThat(datagrams).containsExactly("0:100:1", "1:100:2", "2:100:3", "3:20:4");
        assertThat(to.stats().rxPackets()).isEqualTo(4);
        assertThat(to.stats().rxBytes()).isEqualTo(from.stats().txBytes());
        exchange(4000);
        assertThat(buffers).containsExactly("4x100", "1x4000");
    }

    @Test
    void aPollIsOverWhenItsBudgetIs() {
        for (int i = 0; i < 30; i++) {
            bench.send(from, to, 10 + i / 10);
        }
        from.flush();
        while (datagrams.isEmpty()) {
            assertThat(to.napi().poll(5)).isLessThanOrEqualTo(5);
        }
        assertThat(buffers).as("one train, though longer than the budget").containsExactly("10x10");
        UdpBench.receive(to, () -> datagrams.size() == 30);
        assertThat(buffers).containsExactly("10x10", "10x11", "10x12");
    }

    @Test
    void whoDoesNotTakeTrainsGetsDatagrams() {
        takesTrains = false;
        exchange(100, 100, 20);
        assertThat(datagrams).containsExactly("0:100:1", "1:100:2", "2:20:3");
        takesTrains = true;
        exchange(100, 100);
        takesTrains = false;
        exchange(100, 100);
        assertThat(buffers).containsExactly("1x100", "1x100", "1x20", "2x100", "1x100", "1x100");
    }

    @Test
    void whoeverLooksAtAllPacketsSeesDatagrams() {
        List<Integer> seen = new ArrayList<>();
        PacketTap tap = skb -> seen.add(skb.len());
        to.protocols().addTap(EtherType.ALL, tap);
        exchange(100, 100);
        to.protocols().removeTap(tap);
        exchange(100, 100);
        assertThat(seen).containsExactly(128, 128);
        assertThat(buffers).containsExactly("1x100", "1x100", "2x100");
    }

    @Test
    void ethtoolSwitchesItOff() {
        OffloadGroup.of("gro").orElseThrow().set(to, false);
        exchange(100, 100);
        assertThat(buffers).containsExactly("1x100", "1x100");
    }

    @Test
    void whatIsTooLongIsDroppedAsEver() {
        NetDevice small = bench.listen("127.0.0.1", new Handler());
        for (int i = 0; i < 3; i++) {
            bench.send(from, small, 4500);
        }
        bench.send(from, small, 100);
        from.flush();
        UdpBench.receive(small, () -> !datagrams.isEmpty());
        assertThat(datagrams).hasSize(1);
        assertThat(small.stats().rxErrors()).isEqualTo(3);
        assertThat(small.ethtool().statistics()).containsEntry("rx_too_long", 3L);
    }

    @Test
    void steadyStateAllocatesNothing() {
        UdpEncapHandler silent = new UdpEncapHandler() {
            private final TrainCutter cutter = new TrainCutter();

            @Override
            public boolean takesTrains() {
                return true;
            }

            @Override
            public void receive(SkBuff skb) {
                cutter.begin(skb);
                while (cutter.next(skb)) {
                    received++;
                }
                skb.free();
            }
        };
        NetDevice listener = bench.listen("127.0.0.1", silent);
        byte[] payload = new byte[64];
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 2000; i++) {
                long end = received + 8;
                for (int k = 0; k < 8; k++) {
                    bench.send(from, listener, payload, UdpBench.COPY);
                }
                from.flush();
                while (received < end) {
                    listener.napi().poll(64);
                }
            }
        });
        assertThat(bytes).isZero();
    }

    private long received;
}
