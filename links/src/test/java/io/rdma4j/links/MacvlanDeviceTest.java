// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MacvlanDeviceTest {
    private static final String US = "020000000001";
    private static final String ONE = "0a0000000011";
    private static final String TWO = "0a0000000022";
    private static final String THEM = "0a0000000099";
    private static final String ALL = "ffffffffffff";
    private static final long MAC = 0x0200_0000_0001L;
    private static final long MAC_ONE = 0x0A00_0000_0011L;
    private static final long MAC_TWO = 0x0A00_0000_0022L;

    private final Cables cables = new Cables();
    private final NetDevice eth = cables.plug("eth0", MAC);

    @BeforeEach
    void up() {
        eth.up();
    }

    @AfterEach
    void close() {
        cables.close();
    }

    private NetDevice station(String name, long mac) {
        NetDevice device = MacvlanDevice.create(eth, name, mac).netDevice();
        cables.host.initial().register(device);
        device.up();
        return device;
    }

    private static void refused(Errno errno, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers("NDEV-145")
    void eachStationReceivesWhatIsSentToItAndToAll() {
        NetDevice one = station("mac0", MAC_ONE);
        NetDevice two = station("mac1", MAC_TWO);
        assertThat(eth.flags().has(PrivateFlag.MACVLAN_PORT)).isTrue();
        List<String> atOne = Cables.received(one);
        List<String> atTwo = Cables.received(two);
        List<Integer> atEth = new ArrayList<>();
        eth.protocols().addHandler(0x88B5, skb -> {
            atEth.add(skb.len());
            skb.free();
        });
        cables.send(eth, ONE + THEM + "88b5" + "01");
        cables.send(eth, TWO + THEM + "88b5" + "02");
        cables.send(eth, ALL + THEM + "88b5" + "03");
        cables.send(eth, US + THEM + "88b5" + "0404");
        assertThat(atOne).containsExactly("01", "03");
        assertThat(atTwo).containsExactly("02", "03");
        assertThat(atEth).as("the device keeps its own").containsExactly(1, 2);
        one.transmit(cables.frame(THEM + ONE + "88b5" + "05"));
        assertThat(cables.seen(eth)).containsExactly(THEM + ONE + "88b5" + "05");

        one.unregister();
        two.unregister();
        assertThat(eth.flags().has(PrivateFlag.MACVLAN_PORT)).isFalse();
        assertThat(eth.rxHandler().handler()).isNull();
        assertThat(eth.link().unicast()).isEmpty();
    }

    @Test
    void stateAndMtuFollowTheDeviceBelowAndWithItTheStationGoes() {
        NetDevice one = station("mac0", 0);
        cables.far(eth).down();
        assertThat(one.isCarrierOk()).isFalse();
        eth.setMtu(1200);
        assertThat(one.mtu()).isEqualTo(1200);
        refused(Errno.EINVAL, () -> one.setMtu(1300));
        eth.down();
        assertThat(one.isUp()).isFalse();
        refused(Errno.ENETDOWN, one::up);
        eth.unregister();
        assertThat(one.registration().state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    void aDeviceWhoseFramesSomebodyElseHasIsRefused() {
        eth.rxHandler().registerReceiver(SkBuff::free);
        refused(Errno.EBUSY, () -> station("mac0", 0));
        assertThat(cables.host.initial().find("mac0")).isNull();
    }

    @Test
    @Covers({"NDEV-127", "NDEV-128"})
    void aFunctionCarvedFromAParentHasTheAddressAndTheVlanThatTheParentsOwnerGivesIt() {
        VirtualFunctions functions = new VirtualFunctions(eth, 2);
        functions.setMac(0, MAC_ONE);
        functions.setMac(1, MAC_TWO);
        NetDevice one = functions.netDevice(0);
        NetDevice two = functions.netDevice(1);
        assertThat(one.name()).isEqualTo("eth0v0");
        assertThat(one.macAddress()).isEqualTo(MAC_ONE);
        one.up();
        two.up();
        List<String> atOne = Cables.received(one);
        List<String> atTwo = Cables.received(two);
        functions.setVlan(1, 30, 5);

        two.transmit(cables.frame(THEM + TWO + "88b5" + "01"));
        assertThat(cables.seen(eth)).containsExactly(THEM + TWO + "8100a01e" + "88b5" + "01");
        cables.send(eth, TWO + THEM + "8100001e" + "88b5" + "02");
        cables.send(eth, TWO + THEM + "8100001f" + "88b5" + "03");
        cables.send(eth, TWO + THEM + "88b5" + "04");
        cables.send(eth, ALL + THEM + "8100001e" + "88b5" + "05");
        cables.send(eth, ALL + THEM + "88b5" + "06");
        assertThat(atTwo).as("its VLAN only, and no tag").containsExactly("02", "05");
        assertThat(atOne).containsExactly("06");

        functions.setVlan(1, 0, 0);
        cables.send(eth, TWO + THEM + "88b5" + "07");
        assertThat(atTwo).containsExactly("02", "05", "07");
        refused(Errno.EINVAL, () -> functions.setMac(2, MAC_ONE));
        refused(Errno.EADDRNOTAVAIL, () -> functions.setMac(0, 0));
        refused(Errno.ERANGE, () -> functions.setVlan(0, 4095, 0));
        refused(Errno.EINVAL, () -> functions.setVlan(0, 1, 8));
    }
}
