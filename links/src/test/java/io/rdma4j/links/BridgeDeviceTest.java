// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BridgeDeviceTest {
    private static final String ALL = "ffffffffffff";
    private static final String A = "0a0000000001";
    private static final String B = "0a0000000002";
    private static final String C = "0a0000000003";
    private static final String BRIDGE = "020000000001";

    private final Cables cables = new Cables();
    private final NetDevice eth0 = cables.plug("eth0", MacAddress.parse("02:00:00:00:00:01"));
    private final NetDevice eth1 = cables.plug("eth1", MacAddress.parse("02:00:00:00:00:02"), 1400);
    private final NetDevice eth2 = cables.plug("eth2", MacAddress.parse("02:00:00:00:00:03"), 2000);
    private final BridgeDevice driver = BridgeDevice.create("br%d", () -> cables.nowNs);
    private final NetDevice bridge = cables.host.initial().register(driver.netDevice());

    @BeforeEach
    void enslave() {
        for (NetDevice port : List.of(eth0, eth1, eth2)) {
            port.up();
            port.stack().enslave(bridge);
        }
        bridge.up();
    }

    @AfterEach
    void close() {
        cables.close();
    }

    private static void refused(Errno errno, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers({"NDEV-146", "NDEV-200"})
    void framesAreFloodedUntilItIsKnownWhereTheirDestinationIs() {
        assertThat(bridge.name()).isEqualTo("br0");
        assertThat(bridge.flags().has(PrivateFlag.EBRIDGE)).isTrue();
        assertThat(eth0.flags().has(PrivateFlag.BRIDGE_PORT)).isTrue();
        assertThat(eth0.link().isPromiscuous()).as("ports hear all").isTrue();
        assertThat(eth0.rxHandler().handler()).isNotNull();

        String first = B + A + "88b5" + "01";
        cables.send(eth0, first);
        assertThat(cables.seen(eth1)).containsExactly(first);
        assertThat(cables.seen(eth2)).containsExactly(first);
        assertThat(cables.seen(eth0)).isEmpty();

        String answer = A + B + "88b5" + "02";
        cables.send(eth1, answer);
        assertThat(cables.seen(eth0)).containsExactly(answer);
        assertThat(cables.seen(eth2)).as("A was learnt").isEmpty();
        cables.send(eth0, first);
        assertThat(cables.seen(eth1)).containsExactly(first);
        assertThat(cables.seen(eth2)).isEmpty();
        assertThat(driver.stations()).isEqualTo(2);

        cables.send(eth0, A + C + "88b5" + "03");
        assertThat(cables.seen(eth0)).as("not back where it came from").isEmpty();
        assertThat(cables.seen(eth1)).isEmpty();
    }

    @Test
    void aStationThatMovesIsFoundAndOneThatIsSilentIsForgotten() {
        cables.send(eth0, ALL + A + "88b5");
        cables.send(eth2, ALL + A + "88b5");
        cables.poll();
        List.of(eth0, eth1, eth2).forEach(cables::seen);
        cables.send(eth1, A + B + "88b5");
        assertThat(cables.seen(eth2)).hasSize(1);
        assertThat(cables.seen(eth0)).isEmpty();

        cables.nowNs += BridgeDevice.DEFAULT_AGEING_NS;
        cables.send(eth1, A + B + "88b5");
        assertThat(cables.seen(eth0)).isEmpty();
        cables.nowNs += 1;
        cables.send(eth1, A + B + "88b5");
        assertThat(cables.seen(eth0)).as("flooded").hasSize(1);
    }

    @Test
    void theBridgeIsAStationItself() {
        List<String> received = Cables.received(bridge);
        assertThat(MacAddress.toString(bridge.macAddress()).replace(":", "")).isEqualTo(BRIDGE);
        cables.send(eth1, BRIDGE + A + "88b5" + "01");
        assertThat(received).containsExactly("01");
        assertThat(cables.seen(eth0)).isEmpty();
        cables.send(eth1, ALL + A + "88b5" + "02");
        assertThat(received).containsExactly("01", "02");
        assertThat(cables.seen(eth0)).hasSize(1);
        cables.send(eth1, "01005e000005" + A + "88b5" + "03");
        assertThat(received).as("a group that it is not in").hasSize(2);
        assertThat(cables.seen(eth0)).hasSize(1);
        bridge.link().addMulticast(MacAddress.parse("01:00:5e:00:00:05"));
        cables.send(eth1, "01005e000005" + A + "88b5" + "04");
        assertThat(received).containsExactly("01", "02", "04");
        cables.seen(eth0);
        cables.seen(eth2);

        bridge.transmit(cables.frame(A + BRIDGE + "88b5" + "05"));
        assertThat(cables.seen(eth1)).containsExactly(A + BRIDGE + "88b5" + "05");
        assertThat(cables.seen(eth0)).isEmpty();
        bridge.transmit(cables.frame(ALL + BRIDGE + "88b5" + "06"));
        assertThat(cables.seen(eth0)).hasSize(1);
        assertThat(cables.seen(eth1)).hasSize(1);
        assertThat(cables.seen(eth2)).hasSize(1);
    }

    @Test
    void whatConcernsTheTwoEndsOfALinkAndWhatNobodyCanHaveSentIsNotForwarded() {
        cables.send(eth0, "0180c200000e" + A + "88cc" + "01");
        cables.send(eth0, B + "01005e000005" + "88b5" + "01");
        cables.send(eth0, B + "000000000000" + "88b5" + "01");
        assertThat(cables.seen(eth1)).isEmpty();
        assertThat(bridge.stats().rxErrors()).isEqualTo(2);
        assertThat(driver.stations()).isZero();
    }

    @Test
    void aFrameTooLongForAPortIsDroppedThereOnly() {
        cables.send(eth2, ALL + A + "88b5" + "00".repeat(1450));
        assertThat(cables.seen(eth0)).hasSize(1);
        assertThat(cables.seen(eth1)).isEmpty();
        assertThat(eth1.stats().txDropped()).isEqualTo(1);
    }

    @Test
    void mtuAddressAndCarrierAreThoseOfItsPortsUnlessAUserSetsThem() {
        assertThat(bridge.mtu()).isEqualTo(1400);
        eth1.stack().enslave(null);
        assertThat(bridge.mtu()).isEqualTo(1500);
        bridge.setMtu(1300);
        eth0.stack().enslave(null);
        assertThat(bridge.mtu()).isEqualTo(1300);
        assertThat(bridge.macAddress()).isEqualTo(eth2.macAddress());
        assertThat(bridge.isCarrierOk()).isTrue();
        cables.far(eth2).down();
        assertThat(bridge.isCarrierOk()).isFalse();
        cables.far(eth2).up();
        assertThat(bridge.isCarrierOk()).isTrue();
        eth2.stack().enslave(null);
        assertThat(bridge.isCarrierOk()).isFalse();
        assertThat(eth2.link().isPromiscuous()).isFalse();
        assertThat(eth2.flags().has(PrivateFlag.BRIDGE_PORT)).isFalse();
        assertThat(eth2.rxHandler().handler()).isNull();
    }

    @Test
    void aPortThatLosesItsLinkIsForgottenAndAPortThatGoesIsReleased() {
        cables.send(eth0, ALL + A + "88b5");
        cables.far(eth0).down();
        assertThat(driver.stations()).isZero();
        eth1.unregister();
        assertThat(bridge.stack().lowers()).containsExactly(eth0, eth2);
        assertThat(eth1.registration().state()).isEqualTo(RegistrationState.RELEASED);
        bridge.unregister();
        assertThat(eth0.stack().master()).isNull();
        assertThat(eth0.link().isPromiscuous()).isFalse();
    }

    @Test
    void whatCannotBeAPortIsRefused() {
        BridgeDevice second = BridgeDevice.create("br1", () -> 0);
        NetDevice other = cables.host.initial().register(second.netDevice());
        refused(Errno.ELOOP, () -> other.stack().enslave(bridge));
        refused(
                Errno.EINVAL,
                () -> Objects.requireNonNull(cables.host.initial().find("lo"))
                        .stack()
                        .enslave(bridge));
        NetDevice taken = cables.plug("eth3", 0);
        taken.rxHandler().registerReceiver(SkBuff::free);
        refused(Errno.EBUSY, () -> taken.stack().enslave(bridge));
        assertThat(taken.stack().master()).isNull();
        NetDevice elsewhere = NetHost.standalone(VethDevice.unregistered(
                        VethDevice.end("far0", 0, 1500, 0, List.of()), VethDevice.end("far1", 0, 1500, 0, List.of()), 4)
                .first());
        refused(Errno.EINVAL, () -> elsewhere.stack().enslave(bridge));
        refused(Errno.EOPNOTSUPP, () -> taken.stack().enslave(eth0));

        VlanDevice vlan = VlanDevice.create(bridge, "br0.5", EtherType.VLAN, 5);
        cables.host.initial().register(vlan.netDevice());
        refused(Errno.EBUSY, () -> vlan.netDevice().stack().enslave(bridge));
        assertThat(vlan.netDevice().rxHandler().handler()).isNull();

        eth0.stack().enslave(other);
        assertThat(eth0.stack().master()).as("it has a new master").isEqualTo(other);
        elsewhere.unregister();
    }

    @Test
    void aRingOfBridgesStormsAndServesTheOthersAllTheSame() {
        // Both ends of the cable are ports of the same bridge, so a broadcast frame circulates forever.
        VethDevice.Pair loop = VethDevice.unregistered(
                VethDevice.end("loop0", 0, 1500, 0, List.of()), VethDevice.end("loop1", 0, 1500, 0, List.of()), 64);
        for (NetDevice end : List.of(loop.first(), loop.second())) {
            cables.host.initial().register(end);
            end.up();
            end.stack().enslave(bridge);
        }
        cables.send(eth0, ALL + A + "88b5" + "01");
        for (int i = 0; i < 200; i++) {
            loop.first().napi().poll(64);
            loop.second().napi().poll(64);
            cables.poll();
        }
        assertThat(loop.first().stats().txPackets()).as("a storm").isGreaterThan(1000);
        cables.send(eth1, ALL + B + "88b5" + "02");
        cables.send(eth2, B + C + "88b5" + "03");
        assertThat(cables.seen(eth1)).as("others are still served").contains(B + C + "88b5" + "03");
        loop.first().stack().enslave(null);
        loop.second().napi().poll(512);
        cables.poll();
        long before = eth1.stats().txPackets();
        loop.second().napi().poll(512);
        assertThat(eth1.stats().txPackets()).as("the ring is open: it is over").isEqualTo(before);
    }

    @Test
    void manyInventedAddressesMakeItForgetAndNothingWorse() {
        for (int i = 0; i < 20_000; i++) {
            cables.far(eth0).transmit(cables.frame(String.format("%s0a%010x88b5", B, i)));
            if (i % 32 == 0) {
                cables.poll();
            }
        }
        cables.poll();
        assertThat(driver.stations()).isBetween(3500, 4096);
    }

    @Test
    void forwardingAllocatesNothing() {
        cables.send(eth1, ALL + B + "88b5");
        NetDevice tester = cables.far(eth0);
        NetDevice end = cables.far(eth1);
        end.rxHandler().unregister();
        end.rxHandler().registerReceiver(SkBuff::free);
        SkBuff known = cables.frame(B + A + "88b5" + "00".repeat(100));
        SkBuff group = cables.frame("01005e000005" + A + "88b5" + "00".repeat(100));
        cables.far(eth2).rxHandler().unregister();
        cables.far(eth2).rxHandler().registerReceiver(SkBuff::free);
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        SkBuff skb = i % 4 == 0 ? group : known;
                        tester.transmit(skb.get());
                        eth0.napi().poll(64);
                        end.napi().poll(64);
                        cables.far(eth2).napi().poll(64);
                    }
                }))
                .isZero();
        known.free();
        group.free();
    }
}
