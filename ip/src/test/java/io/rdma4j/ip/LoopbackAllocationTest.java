// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The way of a datagram to the host itself. */
class LoopbackAllocationTest {
    private static final Gid LOCAL = Gid.parse("127.0.0.1");

    @Test
    void steadyStateAllocatesNothing() {
        SkBuffPool pool = new SkBuffPool(8, 256);
        NetDevice lo = LoopbackDevice.create("lo", 1, List.of(LOCAL), 4);
        lo.up();
        IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
        stack.add(lo);
        stack.udp().register(4791, SkBuff::free);
        byte[] payload = new byte[64];
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 20_000; i++) {
                lo.transmit(Packets.udp(pool, LOCAL, 4791, LOCAL, 4791, payload));
                lo.napi().poll(4);
            }
        });
        assertThat(bytes).isZero();
        assertThat(stack.counters().get(SnmpCounter.UDP_IN_DATAGRAMS))
                .isEqualTo(lo.stats().txPackets());
        lo.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }
}
