package io.rdma4j.net.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
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
}
