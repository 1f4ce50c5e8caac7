// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.Timeval;
import io.rdma4j.net.skb.TransmitTimeListener;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.TxFlag;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.ledger.Covers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceTimestampsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int EXPERIMENTAL = 0x88B5;

    private final SkBuffPool pool = new SkBuffPool(2, 256);
    private long clockNs = 5;
    private final NetHost host = NetHost.create(() -> clockNs);
    private final RecordingDriver driver = new RecordingDriver();
    private final NetDevice device =
            new NetDevice(new NetDeviceSetup(LinkType.ETHERNET, "eth%d", 0, 1500, 0, List.of(), Set.of()), driver);
    private final List<Timeval> arrivals = new ArrayList<>();

    DeviceTimestampsTest() {
        host.timestamps().setRealTime(Instant.ofEpochSecond(1_000));
        device.protocols().addHandler(EXPERIMENTAL, skb -> {
            arrivals.add(Timeval.of(skb));
            skb.free();
        });
    }

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff frame() {
        return Frames.frame(pool, 0xFFFF_FFFF_FFFFL, 0x0200_0000_0002L, EXPERIMENTAL, new byte[20]);
    }

    private void arrive() {
        driver.arriving.enqueue(frame());
        device.napi().poll(1);
    }

    @Test
    @Covers({"SKB-2", "SKB-4", "SKB-6", "SKB-7"})
    void whatArrivesIsStampedWhileSomebodyOfTheHostWantsIt() {
        host.initial().register(device);
        device.up();
        arrive();
        host.timestamps().enable();
        clockNs += SECOND + 2_000;
        arrive();
        host.timestamps().disable();
        arrive();
        assertThat(arrivals).containsExactly(new Timeval(0, 0), new Timeval(1_001, 2), new Timeval(0, 0));
        device.unregister();
    }

    @Test
    @Covers("SKB-113")
    void theSenderHearsWhenALoopbackTookItsPacket() {
        NetDevice loopback = host.initial().devices().getFirst();
        loopback.up();
        List<Long> told = new ArrayList<>();
        SkBuff skb = frame();
        skb.meta()
                .owner((TransmitTimeListener) (sent, _) -> told.add(sent.meta().tstamp()));
        skb.shinfo().txFlag(TxFlag.SW_TSTAMP, true);
        loopback.transmit(skb);
        assertThat(told).containsExactly(1_000 * SECOND);
        loopback.down();
    }

    @Test
    void aDeviceOnNoHostHasNoTime() {
        assertThat(device.timestamps().isEnabled()).isFalse();
        assertThat(device.timestamps().nowNs()).isZero();
    }
}
