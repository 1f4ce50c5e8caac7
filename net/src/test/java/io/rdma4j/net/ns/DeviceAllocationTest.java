// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceAllocationTest {
    /** What a driver keeps for a device. */
    private record Adapter(int slot) {}

    private static NetDevice made(NetDeviceSetup setup) {
        NetDevice device = new NetDevice(setup, new StubDriver());
        assertThat(device.registration().state()).isEqualTo(RegistrationState.UNINITIALIZED);
        return device;
    }

    private static void assertQueues(NetDevice device, int tx, int rx) {
        assertThat(device.transmitQueues().count()).isEqualTo(tx);
        assertThat(device.transmitQueues().realCount()).isEqualTo(tx);
        assertThat(device.receiveQueues().count()).isEqualTo(rx);
        assertThat(device.receiveQueues().realCount()).isEqualTo(rx);
        device.unregister();
    }

    @Test
    @Covers("NDEV-54")
    void aDeviceHasOneQueueOfEachSortAndRoomForItsDriver() {
        NetDeviceSetup ip = new NetDeviceSetup("ip%d", 0, 1400, 0, List.of(), Set.of());
        NetDevice device = made(ip.withPrivate(new Adapter(3)));
        assertThat(device.mtu()).isEqualTo(1400);
        assertThat(device.allocation().priv(Adapter.class).slot()).isEqualTo(3);
        assertQueues(device, 1, 1);
    }

    @Test
    @Covers({"NDEV-55", "NDEV-56"})
    void orAsManyAsAreAskedFor() {
        NetDeviceSetup ip = new NetDeviceSetup("ip%d", 0, 1400, 0, List.of(), Set.of());
        assertQueues(made(ip.withQueues(4, 2)), 4, 2);
        assertQueues(made(ip.withQueues(3, 3)), 3, 3);
        assertThatThrownBy(() -> ip.withQueues(0x1_0000, 1)).isInstanceOf(RdmaException.class);
    }

    @Test
    @Covers({"NDEV-57", "NDEV-58", "NDEV-59"})
    void anEthernetDeviceIsMadeTheSameWay() {
        NetDevice one = made(NetDeviceSetup.ethernet("eth%d").withPrivate(new Adapter(1)));
        assertThat(one.linkType()).isEqualTo(LinkType.ETHERNET);
        assertThat(one.allocation().priv(Adapter.class)).isEqualTo(new Adapter(1));
        assertQueues(one, 1, 1);
        assertQueues(made(NetDeviceSetup.ethernet("eth%d").withQueues(8, 8)), 8, 8);
        assertQueues(made(NetDeviceSetup.ethernet("eth%d").withQueues(8, 2)), 8, 2);
    }

    @Test
    @Covers("NDEV-60")
    void ethernetHasItsDefaults() {
        NetDevice device = made(NetDeviceSetup.ethernet("eth%d"));
        assertThat(device.linkType().headerBytes()).isEqualTo(14);
        assertThat(device.transmitQueues().length()).isEqualTo(1000);
        assertThat(device.mtu()).isEqualTo(1500);
        assertThat(device.linkType().code()).isEqualTo(1);
        assertThat(device.linkType().addressBytes()).isEqualTo(6);
        assertThat(MacAddress.toString(device.link().broadcast())).isEqualTo("ff:ff:ff:ff:ff:ff");
        device.unregister();
    }

    @Test
    @Covers("NDEV-63")
    void whatTheDriverKeepsHasAType() {
        NetDevice device = made(NetDeviceSetup.ethernet("eth%d").withPrivate(new Adapter(1)));
        assertThatThrownBy(() -> device.allocation().priv(String.class)).isInstanceOf(ClassCastException.class);
        device.unregister();
        NetDevice without = made(NetDeviceSetup.ethernet("eth%d"));
        assertThatThrownBy(() -> without.allocation().priv(Adapter.class)).isInstanceOf(ClassCastException.class);
        without.unregister();
    }

    @Test
    @Covers("NDEV-64")
    void nothingIsPadded() {
        NetDevice device = made(NetDeviceSetup.ethernet("eth%d"));
        assertThat(device.allocation().padded()).isZero();
        device.unregister();
    }

    @Test
    void kindsOfDevicesHaveSetupsOfTheirOwn() {
        NetDevice lo = LoopbackDevice.device();
        assertThat(lo.flags().has(DeviceFlag.LOOPBACK)).isTrue();
        assertThat(lo.mtu()).isEqualTo(65_536);
        assertThat(lo.transmitQueues().length()).isZero();
        NetDeviceSetup ip = new NetDeviceSetup("ip%d", 0, 1500, 0, List.of(), Set.of());
        assertThat(ip.flags()).contains(DeviceFlag.NOARP);
        lo.unregister();
    }
}
