// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.base.Gid;
import io.rdma4j.linux.call.Libc;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Linux rejects segmentation (EINVAL) on a socket with {@code SO_NO_CHECK}, so this option simulates a system without
 * it.
 */
@Timeout(60)
class SegmentationPauseTest {
    private static final int SOL_SOCKET = 1;
    private static final int SO_NO_CHECK = 11;
    private static final String ADDRESS = "127.0.0.1";
    private static final Gid LOCAL = Gid.parse("::ffff:" + ADDRESS);

    private static void checksums(NativeUdpSocket socket, boolean sent) {
        MemorySegment value = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
        value.set(ValueLayout.JAVA_INT, 0, sent ? 0 : 1);
        assertThat(new Libc().setsockopt(socket.descriptor(), SOL_SOCKET, SO_NO_CHECK, value))
                .isZero();
    }

    /** Sends two packets together; returns the number of calls. */
    private static long callsForTwo(UdpSender sender, NativeUdpSocket socket, SkBuffPool pool, NetDevice device) {
        long before = calls(device);
        for (int i = 0; i < 2; i++) {
            SkBuff skb = Packets.udp(pool, LOCAL, socket.port(), LOCAL, socket.port(), new byte[1000]);
            skb.shinfo().offload(UdpBench.COPY);
            assertThat(sender.take(skb, 0, socket, device)).isEqualTo(1);
            skb.free();
        }
        assertThat(sender.flush(device)).isTrue();
        return calls(device) - before;
    }

    private static long calls(NetDevice device) {
        return device.ethtool().statistics().getOrDefault("tx_calls", -1L);
    }

    @Test
    void packetsGoTogetherAgainSomeTimeAfterLinuxHasRefusedThat() {
        assumeTrue(LinuxUdpDevice.isSupported(), "this is no Linux, or the JVM may not call it");
        try (UdpBench bench = new UdpBench();
                SkBuffPool pool = new SkBuffPool(1, 2000);
                NativeUdpSocket socket = NativeUdpSocket.open(LOCAL, 0, 0)) {
            NetDevice device = bench.open(ADDRESS);
            UdpSender sender = new UdpSender(device.mtu(), 0, (UdpUnderlayEthtool) device.ethtool());
            assertThat(callsForTwo(sender, socket, pool, device)).as("at first").isEqualTo(1);

            checksums(socket, false);
            long refusedNs = System.nanoTime();
            assertThat(callsForTwo(sender, socket, pool, device)).as("refused").isZero();
            assertThat(device.stats().txErrors()).isEqualTo(2);

            long calls = callsForTwo(sender, socket, pool, device);
            if (System.nanoTime() - refusedNs < UdpSender.FIRST_PAUSE_NS) {
                assertThat(calls).as("one by one").isEqualTo(2);
            }

            checksums(socket, true);
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            do {
                calls = callsForTwo(sender, socket, pool, device);
            } while (calls != 1 && System.nanoTime() - endNs < 0);
            assertThat(calls).as("after the pause").isEqualTo(1);
            sender.close();
        }
    }
}
