// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VlanDeviceTest {
    private static final long MAC = MacAddress.parse("02:00:00:00:00:01");
    private static final long OTHER = MacAddress.parse("02:00:00:00:00:77");
    private static final String US = "020000000001";
    private static final String THEM = "020000000002";

    private final Cables cables = new Cables();
    private final NetDevice eth = cables.plug("eth0", MAC);

    @AfterEach
    void close() {
        cables.close();
    }

    private VlanDevice vlan(NetDevice lower, int protocol, int vid) {
        VlanDevice made = VlanDevice.create(lower, lower.name() + "." + vid, protocol, vid);
        cables.host.initial().register(made.netDevice());
        return made;
    }

    private NetDevice up(int vid) {
        eth.up();
        NetDevice device = vlan(eth, EtherType.VLAN, vid).netDevice();
        device.up();
        return device;
    }

    private static void refused(Errno errno, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers("NDEV-199")
    void whatItSendsLeavesWithItsTagAndItReceivesWhatHasItsTag() {
        NetDevice five = up(5);
        List<String> received = Cables.received(five);
        List<String> untagged = Cables.received(eth);
        five.transmit(cables.frame(THEM + US + "88b5 0102"));
        assertThat(cables.seen(eth)).containsExactly(Cables.plain(THEM + US + "8100 0005 88b5 0102"));
        assertThat(five.stats().txPackets()).isEqualTo(1);

        cables.send(eth, US + THEM + "8100 2005 88b5 0304");
        assertThat(received).containsExactly("0304");
        cables.send(eth, US + THEM + "88b5 0506");
        assertThat(untagged).containsExactly("0506");
        assertThat(five.stats().rxBytes()).isEqualTo(16);

        assertThat(eth.stack().uppers()).containsExactly(five);
        assertThat(five.stack().lowers()).containsExactly(eth);
        assertThat(five.flags().isVlan()).isTrue();
        assertThat(five.macAddress()).isEqualTo(MAC);
        assertThat(five.mtu()).isEqualTo(1500);
        assertThat(five.transmitQueues().length()).as("nothing waits here").isZero();
        assertThat(five.transmitQueues().count()).isEqualTo(1);
    }

    /** Freed memory must not be accessed, so packets that are queued at the lower device can be dropped. */
    @Test
    void whatWaitsAtTheDeviceBelowCanBeDropped() {
        NetDevice five = up(5);
        eth.transmitQueues().queue(0).qdisc(new PfifoFast(10));
        eth.transmitQueues().queue(0).stop();
        five.transmit(cables.frame(THEM + US + "88b5 0102"));
        assertThat(five.dropWaiting(_ -> false)).isZero();
        assertThat(five.dropWaiting(_ -> true)).isEqualTo(1);
        eth.transmitQueues().queue(0).wake();
        eth.flush();
        assertThat(cables.seen(eth)).isEmpty();
    }

    @Test
    void tagsStackWithTheServiceTagOutside() {
        eth.up();
        VlanDevice outer = vlan(eth, EtherType.SERVICE_VLAN, 100);
        outer.netDevice().up();
        NetDevice inner = vlan(outer.netDevice(), EtherType.VLAN, 7).netDevice();
        inner.up();
        List<String> received = Cables.received(inner);
        inner.transmit(cables.frame(THEM + US + "88b5 01"));
        assertThat(cables.seen(eth)).containsExactly(Cables.plain(THEM + US + "88a8 0064 8100 0007 88b5 01"));
        cables.send(eth, US + THEM + "88a8 0064 8100 0007 88b5 02");
        assertThat(received).containsExactly("02");
        cables.send(eth, US + THEM + "8100 0064 8100 0007 88b5 03");
        assertThat(received).as("of the other protocol").hasSize(1);
    }

    @Test
    void prioritiesAreMappedBothWays() {
        eth.up();
        VlanDevice five = vlan(eth, EtherType.VLAN, 5);
        five.egress(42, 6);
        five.egress(42, 3);
        five.egress(1000, 7);
        five.ingress(4, 99);
        five.netDevice().up();
        List<Integer> priorities = new ArrayList<>();
        five.netDevice().rxHandler().registerReceiver(skb -> {
            priorities.add(skb.meta().priority());
            skb.free();
        });
        for (int priority : new int[] {42, 1000, 8}) {
            SkBuff skb = cables.frame(THEM + US + "88b5");
            skb.meta().priority(priority);
            five.netDevice().transmit(skb);
        }
        assertThat(cables.seen(eth))
                .extracting(frame -> frame.substring(28, 32))
                .containsExactly("6005", "e005", "0005");
        cables.send(eth, US + THEM + "8100 8005 88b5");
        cables.send(eth, US + THEM + "8100 6005 88b5");
        assertThat(priorities).containsExactly(99, 0);
        refused(Errno.EINVAL, () -> five.egress(1, 8));
        refused(Errno.EINVAL, () -> five.ingress(-1, 1));
    }

    @Test
    void stateMtuAndAddressFollowTheDeviceBelow() {
        eth.up();
        NetDevice five = up(5);
        cables.far(eth).down();
        assertThat(five.isCarrierOk()).isFalse();
        cables.far(eth).up();
        assertThat(five.isCarrierOk()).isTrue();
        eth.setMtu(1300);
        assertThat(five.mtu()).isEqualTo(1300);
        refused(Errno.ERANGE, () -> five.setMtu(1400));
        eth.setMacAddress(OTHER);
        assertThat(five.macAddress()).isEqualTo(OTHER);
        eth.down();
        assertThat(five.isUp()).isFalse();
        refused(Errno.ENETDOWN, five::up);
        eth.up();
        assertThat(five.isUp()).isTrue();
    }

    @Test
    void anAddressOfItsOwnIsReceivedBelowAndStaysItsOwn() {
        NetDevice five = up(5);
        List<String> received = Cables.received(five);
        five.setMacAddress(OTHER);
        five.link().addMulticast(MacAddress.parse("01:00:5e:00:00:05"));
        cables.send(eth, "020000000077" + THEM + "8100 0005 88b5 01");
        cables.send(eth, "01005e000005" + THEM + "8100 0005 88b5 02");
        assertThat(received).containsExactly("01", "02");
        eth.setMacAddress(MacAddress.parse("02:00:00:00:00:99"));
        assertThat(five.macAddress()).isEqualTo(OTHER);
        five.down();
        assertThat(eth.link().unicast()).isEmpty();
        assertThat(eth.link().multicast()).isEmpty();
        five.up();
        five.link().setPromiscuity(1);
        assertThat(eth.link().isPromiscuous()).isTrue();
        five.unregister();
        assertThat(eth.link().isPromiscuous()).isFalse();
    }

    @Test
    @Covers("NDEV-78")
    void featuresFollowWhatTheDeviceBelowLetsVlansInherit() {
        FeatureSet inherited = FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA);
        eth.features().vlan(inherited);
        eth.up();
        NetDevice five = up(5);
        assertThat(five.features().active())
                .isEqualTo(inherited.plus(FeatureSet.of(NetDeviceFeature.LLTX)).plus(FeatureSet.SOFT_FEATURES));
        eth.features().set(NetDeviceFeature.SG, false);
        assertThat(five.features().has(NetDeviceFeature.SG)).isFalse();
        eth.features().set(NetDeviceFeature.SG, true);
        assertThat(five.features().has(NetDeviceFeature.SG)).isTrue();
    }

    @Test
    void itGoesWithTheDeviceBelow() {
        NetDevice five = up(5);
        assertThat(eth.references().count()).isEqualTo(1);
        eth.unregister();
        assertThat(five.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(eth.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(cables.host.initial().find("eth0.5")).isNull();
    }

    @Test
    @Covers("NDEV-103")
    void aDeviceThatCannotCarryVlansIsRefused() {
        NetDeviceOps nothing = new NetDeviceOps() {
            @Override
            public NetdevTx startXmit(SkBuff skb, NetDevice device) {
                skb.free();
                return NetdevTx.OK;
            }

            @Override
            public @Nullable SkBuff pollReceive(NetDevice device) {
                return null;
            }
        };
        NetDevice challenged = cables.host
                .initial()
                .register(new NetDevice(
                        new NetDeviceSetup(
                                LinkType.ETHERNET,
                                "bad0",
                                0,
                                1500,
                                MAC,
                                List.of(),
                                Set.of(NetDeviceFeature.VLAN_CHALLENGED)),
                        nothing));
        refused(Errno.EOPNOTSUPP, () -> VlanDevice.create(challenged, "bad0.1", EtherType.VLAN, 1));
        assertThat(challenged.features().isFixed(NetDeviceFeature.VLAN_CHALLENGED))
                .isTrue();
        refused(Errno.EOPNOTSUPP, () -> challenged.features().set(NetDeviceFeature.VLAN_CHALLENGED, false));
        refused(
                Errno.EOPNOTSUPP,
                () -> VlanDevice.create(
                        Objects.requireNonNull(cables.host.initial().find("lo")), "lo.1", EtherType.VLAN, 1));
    }

    @Test
    void aVlanThatHasADeviceIsRefusedAndLeavesNoTrace() {
        up(5);
        refused(Errno.EEXIST, () -> vlan(eth, EtherType.VLAN, 5));
        refused(Errno.ERANGE, () -> vlan(eth, EtherType.VLAN, 4095));
        assertThat(eth.references().count()).isEqualTo(1);
        assertThat(eth.stack().uppers()).hasSize(1);
    }
}
