// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.DeviceRegistration;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.testing.ledger.Covers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DummyDeviceTest {
    private final Cables cables = new Cables();

    @AfterEach
    void close() {
        cables.close();
    }

    @Test
    void whatIsSentIsCountedAndGone() {
        NetDevice dummy = cables.host.initial().register(DummyDevice.create("dummy%d", 1500));
        NetDevice other = cables.host.initial().register(DummyDevice.create("dummy%d", 1500));
        dummy.up();
        other.up();
        assertThat(dummy.name()).isEqualTo("dummy0");
        assertThat(dummy.linkType()).isEqualTo(LinkType.ETHERNET);
        assertThat(dummy.flags().has(DeviceFlag.NOARP)).isTrue();
        dummy.transmit(cables.frame("ffffffffffff 020000000001 88b5 01"));
        assertThat(dummy.stats().txPackets()).isEqualTo(1);
        assertThat(dummy.stats().txBytes()).isEqualTo(15);
        assertThat(other.stats().txPackets()).as("statistics of its own").isZero();
        assertThat(dummy.napi().poll(8)).isZero();
    }

    @Test
    @Covers("NDEV-197")
    void aDeviceOnlyToBePolledIsADummyToTheCoreAndCountsForItself() {
        SkBuffQueue arriving = new SkBuffQueue(4);
        NetDeviceOps driver = new NetDeviceOps() {
            @Override
            public NetdevTx startXmit(SkBuff skb, NetDevice device) {
                return NetdevTx.BUSY;
            }

            @Override
            public @Nullable SkBuff pollReceive(NetDevice device) {
                return arriving.dequeue();
            }
        };
        NetDevice polled = DeviceRegistration.dummy(driver);
        NetDevice dummy = cables.host.initial().register(DummyDevice.create("dummy0", 1500));
        assertThat(polled.registration().state()).isEqualTo(RegistrationState.DUMMY);
        assertThat(cables.host.initial().devices()).doesNotContain(polled);
        arriving.enqueue(cables.frame("45 00"));
        assertThat(polled.napi().poll(8)).isEqualTo(1);
        assertThat(polled.stats().rxDropped()).as("no handler").isEqualTo(1);
        dummy.up();
        dummy.transmit(cables.frame("ffffffffffff 020000000001 88b5 01"));
        assertThat(dummy.stats().txPackets()).isEqualTo(1);
        assertThat(dummy.stats().rxDropped() + polled.stats().txPackets()).isZero();
        polled.registration().free();
    }
}
