// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.HostLoop;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ethernet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Two ends of a link on one machine: one loop drives both. */
class HostLoopTest {
    private static final long MAC = 0x0200_0000_0001L;

    @Test
    void theDevicesOfAHostAreDrivenAsTheyComeAndGo() {
        NetHost host = NetHost.create(NanoClock.SYSTEM);
        NetLoop loop = new NetLoop(() -> 0, ProgressMode.MANUAL);
        HostLoop.connect(host, loop);
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end("veth0", 2, 1500, MAC, List.of()),
                VethDevice.end("veth1", 3, 1500, MAC + 1, List.of()),
                16);
        NetDevice left = host.initial().register(pair.first());
        NetDevice right = host.initial().register(pair.second());
        AtomicInteger received = new AtomicInteger();
        right.rxHandler().registerReceiver(skb -> {
            received.incrementAndGet();
            skb.free();
        });
        left.up();
        right.up();
        try (SkBuffPool pool = new SkBuffPool(4, 256)) {
            left.transmit(frame(pool));
            loop.progress(0);
            assertThat(received).hasValue(1);
            assertThatExceptionOfType(RdmaException.class)
                    .as("the RTNL lock comes before the loop")
                    .isThrownBy(() -> loop.exclusively(left::unregister))
                    .returns(Errno.EDEADLK, RdmaException::errno);
            host.rtnl().run(() -> loop.exclusively(left::unregister));
            assertThat(host.initial().find("veth0")).isNull();
            loop.progress(0);
        }
    }

    private static SkBuff frame(SkBuffPool pool) {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        skb.put(60);
        Ethernet.write(skb.memory(), skb.data(), MAC + 1, MAC, EtherType.IPV4);
        return skb;
    }
}
