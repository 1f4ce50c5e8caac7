// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BondDeviceTest {
    private static final long FIRST = MacAddress.parse("02:00:00:00:00:01");
    private static final long SECOND = MacAddress.parse("02:00:00:00:00:02");
    private static final String US = "020000000001";
    private static final String THEM = "0a0000000009";

    private final Cables cables = new Cables();
    private final NetDevice eth0 = cables.plug("eth0", FIRST);
    private final NetDevice eth1 = cables.plug("eth1", SECOND);

    @AfterEach
    void close() {
        cables.close();
    }

    private NetDevice enslaved(BondDevice driver) {
        NetDevice bond = cables.host.initial().register(driver.netDevice());
        eth0.stack().enslave(bond);
        eth1.stack().enslave(bond);
        bond.up();
        return bond;
    }

    private static void refused(Errno errno, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers({"NDEV-120", "NDEV-121", "NDEV-140", "NDEV-143"})
    void devicesBecomeSlavesAndAreReleasedAsTheyWere() {
        BondDevice driver = BondDevice.bond("bond0", BondMode.ACTIVE_BACKUP);
        NetDevice bond = enslaved(driver);
        assertThat(bond.flags().has(DeviceFlag.MASTER)).isTrue();
        assertThat(bond.flags().has(PrivateFlag.BONDING)).isTrue();
        assertThat(eth1.flags().has(DeviceFlag.SLAVE)).isTrue();
        assertThat(eth1.flags().has(PrivateFlag.BONDING)).isTrue();
        assertThat(eth1.stack().master()).isEqualTo(bond);
        assertThat(eth1.isUp()).isTrue();
        assertThat(bond.macAddress()).isEqualTo(FIRST);
        assertThat(eth1.macAddress()).isEqualTo(FIRST);

        bond.setMtu(1400);
        assertThat(eth1.mtu()).isEqualTo(1400);
        bond.setMacAddress(MacAddress.parse("02:00:00:00:00:05"));
        assertThat(eth0.macAddress()).isEqualTo(bond.macAddress());

        eth1.stack().enslave(null);
        assertThat(eth1.macAddress()).isEqualTo(SECOND);
        assertThat(eth1.mtu()).isEqualTo(1500);
        assertThat(eth1.isUp()).isFalse();
        assertThat(eth1.flags().has(DeviceFlag.SLAVE)).isFalse();
        assertThat(eth1.flags().has(PrivateFlag.BONDING)).isFalse();
        assertThat(eth1.rxHandler().handler()).isNull();
        bond.unregister();
        assertThat(eth0.macAddress()).isEqualTo(FIRST);
        assertThat(eth0.stack().master()).isNull();
    }

    @Test
    @Covers("NDEV-144")
    void portsOfATeamSaySo() {
        NetDevice team = enslaved(BondDevice.team("team0", BondMode.ACTIVE_BACKUP));
        assertThat(eth0.flags().has(PrivateFlag.TEAM_PORT)).isTrue();
        assertThat(eth0.flags().has(PrivateFlag.BONDING)).isFalse();
        assertThat(team.flags().has(PrivateFlag.BONDING)).isFalse();
        team.transmit(cables.frame(THEM + US + "88b5"));
        assertThat(cables.seen(eth0)).hasSize(1);
        eth0.stack().enslave(null);
        assertThat(eth0.flags().has(PrivateFlag.TEAM_PORT)).isFalse();
    }

    @Test
    void whenTheLinkInUseFailsAnotherOneGoesOn() {
        BondDevice driver = BondDevice.bond("bond0", BondMode.ACTIVE_BACKUP);
        NetDevice bond = enslaved(driver);
        List<String> received = Cables.received(bond);
        bond.transmit(cables.frame(THEM + US + "88b5" + "01"));
        assertThat(cables.seen(eth0)).hasSize(1);
        assertThat(cables.seen(eth1)).isEmpty();
        cables.send(eth0, US + THEM + "88b5" + "02");
        cables.send(eth1, US + THEM + "88b5" + "03");
        assertThat(received).as("of the one in use only").containsExactly("02");

        cables.far(eth0).down();
        assertThat(driver.active()).containsExactly(eth1);
        assertThat(bond.isCarrierOk()).isTrue();
        bond.transmit(cables.frame(THEM + US + "88b5" + "04"));
        assertThat(cables.seen(eth1)).containsExactly(THEM + US + "88b5" + "04");
        cables.send(eth1, US + THEM + "88b5" + "05");
        assertThat(received).containsExactly("02", "05");

        cables.far(eth0).up();
        assertThat(driver.active()).as("it stays").containsExactly(eth1);
        cables.far(eth1).down();
        assertThat(driver.active()).containsExactly(eth0);
        cables.far(eth0).down();
        assertThat(bond.isCarrierOk()).isFalse();
        assertThat(driver.active()).isEmpty();
        bond.transmit(cables.frame(THEM + US + "88b5" + "06"));
        assertThat(bond.stats().txDropped()).isEqualTo(1);
        eth0.unregister();
        assertThat(bond.stack().lowers()).containsExactly(eth1);
    }

    @Test
    void aFlowStaysOnOneSlaveAndFlowsAreSpread() {
        BondDevice driver = BondDevice.bond("bond0", BondMode.BALANCE_XOR);
        NetDevice bond = enslaved(driver);
        assertThat(driver.active()).containsExactly(eth0, eth1);
        for (int flow = 0; flow < 64; flow++) {
            for (int i = 0; i < 2; i++) {
                SkBuff skb = Packets.udp(
                        cables.pool, Gid.ofIpv4(0x0A00_0001), 1000 + flow, Gid.ofIpv4(0x0A00_0002), 4791, new byte[8]);
                bond.pushLinkHeader(skb, EtherType.IPV4, MacAddress.parse("0a:00:00:00:00:09"));
                bond.transmit(skb);
            }
        }
        int first = cables.seen(eth0).size();
        int second = cables.seen(eth1).size();
        assertThat(first + second).isEqualTo(128);
        assertThat(first).isEven().isBetween(20, 108);

        List<String> received = Cables.received(bond);
        cables.send(eth0, US + THEM + "88b5" + "01");
        cables.send(eth1, US + THEM + "88b5" + "02");
        assertThat(received).containsExactly("01", "02");
    }

    @Test
    void whatTheBondWantsToReceiveItsSlavesReceive() {
        NetDevice bond = enslaved(BondDevice.bond("bond0", BondMode.BALANCE_XOR));
        List<String> received = Cables.received(bond);
        bond.link().addMulticast(MacAddress.parse("01:00:5e:00:00:05"));
        cables.send(eth1, "01005e000005" + THEM + "88b5" + "01");
        assertThat(received).containsExactly("01");
        bond.down();
        assertThat(eth1.link().multicast()).isEmpty();
    }

    @Test
    void whatCannotBeASlaveIsRefusedAndStaysAsItWas() {
        BondDevice driver = BondDevice.bond("bond0", BondMode.ACTIVE_BACKUP);
        NetDevice bond = cables.host.initial().register(driver.netDevice());
        refused(
                Errno.EINVAL,
                () -> Objects.requireNonNull(cables.host.initial().find("lo"))
                        .stack()
                        .enslave(bond));
        eth0.up();
        refused(Errno.EPERM, () -> eth0.stack().enslave(bond));
        eth0.down();
        eth0.stack().enslave(bond);
        refused(Errno.EOPNOTSUPP, () -> eth1.stack().enslave(eth0));
        NetDevice small = cables.plug("eth2", SECOND, 1000);
        refused(Errno.EINVAL, () -> small.stack().enslave(bond));
        assertThat(small.macAddress()).isEqualTo(SECOND);
        assertThat(small.stack().master()).isNull();
        assertThat(small.rxHandler().handler()).isNull();
    }
}
