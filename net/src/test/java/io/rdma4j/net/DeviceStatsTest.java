// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.MacAddress;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceStats;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceStatsTest {
    private static final long OWN = MacAddress.parse("52:54:00:77:00:01");
    private static final long OTHER = MacAddress.parse("52:54:00:77:00:02");
    private static final long GROUP = MacAddress.parse("01:00:5e:00:00:09");
    private static final int TYPE = 0x88B5;

    private final SkBuffPool pool = new SkBuffPool(4, 256);
    private final ControlledDriver driver = new ControlledDriver();
    private final NetDevice device = NetHost.standalone(
            new NetDevice(new NetDeviceSetup(LinkType.ETHERNET, "eth0", 3, 1500, OWN, List.of(), Set.of()), driver));

    @AfterEach
    void close() {
        device.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private void arrives(long destination, int type) {
        driver.arriving.enqueue(Frames.frame(pool, destination, OTHER, type, new byte[46]));
        assertThat(device.napi().poll(8)).isEqualTo(1);
    }

    @Test
    @Covers({"NDEV-192", "NDEV-193"})
    void everyFrameIsCountedOnce() {
        device.up();
        device.protocols().addHandler(TYPE, SkBuff::free);
        device.link().addMulticast(GROUP);
        arrives(OWN, TYPE);
        arrives(GROUP, TYPE);
        arrives(OTHER, TYPE);
        arrives(OWN, TYPE + 1);
        device.stats().countTransmitted(2, 3000);
        device.stats().countTransmitError();
        device.stats().countReceiveError();
        device.setCarrier(false);
        device.transmit(Frames.frame(pool, OTHER, OWN, TYPE, new byte[46]));
        assertThat(LinkStats64.of(device)).isEqualTo(new LinkStats64(2, 2, 120, 3000, 1, 1, 1, 1, 1, 1));
    }

    @Test
    @Covers({"NDEV-125", "NDEV-126"})
    void aDriverMayKeepCountersOfItsOwnAndTheCoreAddsItsDrops() {
        device.up();
        arrives(OWN, TYPE);
        arrives(OTHER, TYPE);
        driver.stats = new NetDeviceStats();
        driver.stats.countTransmitted(7, 700);
        assertThat(LinkStats64.of(device)).isEqualTo(new LinkStats64(0, 7, 0, 700, 0, 0, 1, 0, 0, 1));
        long many = 1L << 40;
        driver.stats64 = new LinkStats64(many, many, many, many, many, many, many, many, many, many);
        assertThat(LinkStats64.of(device))
                .as("preferred")
                .isEqualTo(new LinkStats64(many, many, many, many, many, many, many + 1, many, many, many + 1));
    }

    @Test
    @Covers("NDEV-185")
    void whoStandsOnADeviceNotesWhenItLastHeardSomething() {
        device.up();
        arrives(OWN, TYPE);
        assertThat(device.stats().lastRxNs()).as("the core does not").isZero();
        long[] now = {5_000};
        device.rxHandler().register(skb -> {
            device.stats().lastRxNs(now[0]);
            return false;
        });
        arrives(OWN, TYPE);
        assertThat(device.stats().lastRxNs()).isEqualTo(5_000);
        now[0] = 6_000;
        arrives(OWN, TYPE);
        assertThat(device.stats().lastRxNs()).isEqualTo(6_000);
    }
}
