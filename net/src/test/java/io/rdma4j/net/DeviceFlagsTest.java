// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeviceFlagsTest {
    private static final long OWN = 0x52_5400_770001L;

    private final ControlledDriver driver = new ControlledDriver();
    private final List<NetDeviceEvent> events = new ArrayList<>();
    private final NetDevice device = NetHost.standalone(
            new NetDevice(new NetDeviceSetup(LinkType.ETHERNET, "eth0", 3, 1500, OWN, List.of(), Set.of()), driver));
    private final DeviceFlags flags = device.flags();

    @BeforeEach
    void forgetTheBeginning() {
        driver.calls.clear();
    }

    @AfterEach
    void close() {
        device.unregister();
    }

    @Test
    @Covers({"NDEV-134", "NDEV-147"})
    void toolsShowTheFlagsByNumberAndName() {
        flags.change(DeviceFlag.ALLMULTI, true);
        assertThat(flags.get()).isEqualTo(4610);
        assertThat(flags).hasToString("4610<BROADCAST,ALLMULTI,MULTICAST>");
        device.up();
        assertThat(flags).hasToString("70211<UP,BROADCAST,RUNNING,ALLMULTI,MULTICAST,LOWER_UP>");
        device.setCarrier(false);
        assertThat(flags).hasToString("4611<UP,BROADCAST,ALLMULTI,MULTICAST>");
        assertThat(flags.has(DeviceFlag.LOWER_UP)).isFalse();
    }

    @Test
    @Covers("NDEV-134")
    void theFlagBringsTheDeviceUpAndTakesItDown() {
        device.addListener((_, event) -> events.add(event));
        flags.change(DeviceFlag.UP, true);
        assertThat(device.isUp()).isTrue();
        flags.change(flags.get());
        flags.change(DeviceFlag.UP, false);
        assertThat(device.isUp()).isFalse();
        assertThat(events).containsExactly(NetDeviceEvent.UP, NetDeviceEvent.DOWN);
    }

    @Test
    @Covers({"NDEV-137", "NDEV-138", "NDEV-139"})
    void whatADeviceIsStaysAndWhatItsUserWantsMayChange() {
        NetDevice ppp = NetHost.standalone(new NetDevice(
                new NetDeviceSetup("ppp0", 4, 1500, 0, List.of(), Set.of())
                        .withFlags(DeviceFlag.POINTOPOINT, DeviceFlag.NOARP, DeviceFlag.LOOPBACK),
                driver));
        ppp.flags().change(0);
        assertThat(ppp.flags()).hasToString("24<LOOPBACK,POINTOPOINT>");
        assertThatThrownBy(() -> ppp.flags().change(1 << 30))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        ppp.unregister();
        device.up();
        device.addListener((_, event) -> events.add(event));
        assertThat(flags.has(DeviceFlag.NOARP)).isFalse();
        flags.change(DeviceFlag.NOARP, true);
        assertThat(flags.has(DeviceFlag.NOARP)).isTrue();
        flags.change(DeviceFlag.NOARP, true);
        assertThat(events).containsExactly(NetDeviceEvent.FLAGS_CHANGE);
    }

    @Test
    @Covers({"NDEV-135", "NDEV-136", "NDEV-151", "NDEV-178", "NDEV-180"})
    void theUsersModesCountOnceAndOnlyTheyAreShown() {
        device.link().setPromiscuity(1);
        assertThat(flags.has(DeviceFlag.PROMISC))
                .as("a sniffer's, not the user's")
                .isFalse();
        flags.change(DeviceFlag.PROMISC, true);
        flags.change(DeviceFlag.PROMISC, true);
        assertThat(flags.global()).isEqualTo(DeviceFlag.PROMISC.mask());
        assertThat(device.link().promiscuity()).isEqualTo(2);
        flags.change(DeviceFlag.PROMISC, false);
        assertThat(flags.global()).isZero();
        assertThat(device.link().isPromiscuous()).isTrue();
        flags.change(DeviceFlag.ALLMULTI, true);
        assertThat(device.link().isAllMulticast()).isTrue();
        flags.change(DeviceFlag.ALLMULTI, false);
        assertThat(device.link().isAllMulticast()).isFalse();
    }

    @Test
    @Covers({"NDEV-148", "NDEV-149", "NDEV-150"})
    void whatOnlyTheCoreKnowsNoToolShows() {
        String shown = flags.toString();
        assertThat(flags.isVlan()).isFalse();
        assertThat(flags.supportsNoFcs()).isFalse();
        for (PrivateFlag flag : PrivateFlag.values()) {
            flags.set(flag, true);
            assertThat(flags.has(flag)).isTrue();
        }
        assertThat(flags.isVlan()).isTrue();
        assertThat(flags.supportsNoFcs()).isTrue();
        assertThat(flags).hasToString(shown);
        flags.set(PrivateFlag.SUPP_NOFCS, false);
        assertThat(flags.supportsNoFcs()).isFalse();
        assertThat(flags.isVlan()).isTrue();
    }

    @Test
    void onlyWhatADeviceIsCanBeSetSilently() {
        flags.set(DeviceFlag.MASTER, true);
        assertThat(flags.has(DeviceFlag.MASTER)).isTrue();
        assertThatThrownBy(() -> flags.set(DeviceFlag.UP, true))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    @Covers("NDEV-129")
    void theDriverHearsWhenListsOrFlagsChange() {
        device.link().addMulticast(0x0100_5E00_0009L);
        assertThat(driver.calls).as("down").isEmpty();
        device.up();
        assertThat(driver.calls).endsWith("rx mode");
        driver.calls.clear();
        device.link().addUnicast(OWN + 1);
        device.link().flushUnicast();
        device.link().flushMulticast();
        flags.change(DeviceFlag.PROMISC, true);
        flags.change(DeviceFlag.MULTICAST, false);
        assertThat(driver.calls).hasSize(5).containsOnly("rx mode");
        device.link().setPromiscuity(1);
        assertThat(driver.calls).as("promiscuous it was before").hasSize(5);
    }

    @Test
    @Covers("NDEV-142")
    void aLinkThatCannotBeToldOfStationsListensToAll() {
        device.up();
        device.link().addUnicast(OWN + 1);
        assertThat(device.link().isPromiscuous()).as("the filter does it").isFalse();
        device.link().flushUnicast();
        flags.set(PrivateFlag.UNICAST_FLT, false);
        driver.calls.clear();
        device.link().addUnicast(OWN + 1);
        assertThat(device.link().promiscuity()).isEqualTo(1);
        device.link().addUnicast(OWN + 2);
        assertThat(device.link().promiscuity()).isEqualTo(1);
        device.link().flushUnicast();
        assertThat(device.link().promiscuity()).isZero();
        assertThat(driver.calls).containsExactly("rx mode", "rx mode", "rx mode");
    }
}
