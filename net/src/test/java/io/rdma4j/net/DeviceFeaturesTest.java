// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceFeaturesTest {
    private static final FeatureSet SENDS = FeatureSet.of(
            NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.HW_CSUM, NetDeviceFeature.TSO);

    private final ControlledDriver driver = new ControlledDriver();
    private final List<NetDeviceEvent> events = new ArrayList<>();
    private final LogCapture log = new LogCapture("io.rdma4j.net.features");
    private NetDevice device = device(SENDS);

    private NetDevice device(FeatureSet features) {
        NetDevice made =
                NetHost.standalone(new NetDevice(new NetDeviceSetup("eth0", 1, 1500, 0, List.of(), features), driver));
        made.addListener((_, event) -> events.add(event));
        driver.calls.clear();
        return made;
    }

    @AfterEach
    void close() {
        device.unregister();
        log.close();
    }

    @Test
    @Covers({"NDEV-75", "NDEV-76", "NDEV-77"})
    void aRegisteredDeviceDoesWhatItsDriverAndTheCoreCan() {
        assertThat(device.features().active())
                .isEqualTo(SENDS.plus(FeatureSet.of(NetDeviceFeature.GSO, NetDeviceFeature.GRO)));
        assertThat(device.features().hw())
                .containsExactly(
                        NetDeviceFeature.SG,
                        NetDeviceFeature.HW_CSUM,
                        NetDeviceFeature.GSO,
                        NetDeviceFeature.GRO,
                        NetDeviceFeature.TSO);
        assertThat(device.features().wanted()).isEqualTo(device.features().hw());
    }

    @Test
    @Covers({"NDEV-66", "NDEV-67", "NDEV-75", "NDEV-77", "NDEV-122"})
    void aWishThatChangesWhatIsActiveGoesToTheDriverAndThenToFollowers() {
        device.features().set(NetDeviceFeature.TSO, false);
        assertThat(device.features().wanted()).doesNotContain(NetDeviceFeature.TSO);
        assertThat(device.features().has(NetDeviceFeature.TSO)).isFalse();
        assertThat(driver.calls).hasSize(1);
        assertThat(events).containsExactly(NetDeviceEvent.FEATURES_CHANGE);
        device.features().set(NetDeviceFeature.TSO, false);
        assertThat(driver.calls).as("nothing new").hasSize(1);
        assertThat(events).hasSize(1);
        device.features().changed();
        assertThat(events).hasSize(2).containsOnly(NetDeviceEvent.FEATURES_CHANGE);
    }

    @Test
    @Covers({"NDEV-75", "NDEV-122"})
    void whereTheDriverFailsWhatItHasInsteadIsActive() {
        device.features().set(NetDeviceFeature.TSO, false);
        events.clear();
        driver.failing = FeatureSet.of(NetDeviceFeature.TSO);
        device.features().set(NetDeviceFeature.TSO, true);
        assertThat(device.features().has(NetDeviceFeature.TSO)).isFalse();
        assertThat(device.features().wanted()).contains(NetDeviceFeature.TSO);
        assertThat(events).isEmpty();
        assertThat(log.lines()).hasSize(1).first().asString().startsWith("eth0: the driver set [");
        driver.failing = FeatureSet.NONE;
        device.features().update();
        assertThat(device.features().has(NetDeviceFeature.TSO)).isTrue();
    }

    @Test
    @Covers("NDEV-77")
    void whatTheDriverCannotDoNowComesBackWhenItCan() {
        driver.unable = FeatureSet.of(NetDeviceFeature.HW_CSUM);
        device.features().update();
        assertThat(device.features().active()).doesNotContain(NetDeviceFeature.HW_CSUM, NetDeviceFeature.TSO);
        assertThat(device.features().wanted()).contains(NetDeviceFeature.HW_CSUM, NetDeviceFeature.TSO);
        driver.unable = FeatureSet.NONE;
        device.features().update();
        assertThat(device.features().active()).contains(NetDeviceFeature.HW_CSUM, NetDeviceFeature.TSO);
        assertThat(events).containsExactly(NetDeviceEvent.FEATURES_CHANGE, NetDeviceEvent.FEATURES_CHANGE);
    }

    @Test
    @Covers({"NDEV-76", "NDEV-98", "NDEV-104"})
    void whatIsFixedCannotBeChanged() {
        assertThatThrownBy(() -> device.features().set(NetDeviceFeature.HIGHDMA, false))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                .hasMessageContaining("highdma cannot be changed");
        assertThat(device.features().has(NetDeviceFeature.HIGHDMA)).isTrue();
        FeatureSet lock = FeatureSet.of(NetDeviceFeature.LLTX);
        assertThatThrownBy(() -> device.features().request(lock, lock)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> device.features().offer(FeatureSet.NONE))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    }

    @Test
    @Covers({"NDEV-76", "NDEV-105", "NDEV-106"})
    void whatMayBeChangedIsSaidWhenTheDriverIsSetUp() {
        driver.offered = FeatureSet.of(NetDeviceFeature.SG);
        device.unregister();
        assertThat(driver.calls).containsExactly("uninit");
        device = device(SENDS);
        assertThat(device.features().hw())
                .containsExactly(NetDeviceFeature.SG, NetDeviceFeature.GSO, NetDeviceFeature.GRO);
        assertThat(device.features().isFixed(NetDeviceFeature.HW_CSUM)).isTrue();
        driver.offered = FeatureSet.of(NetDeviceFeature.HIGHDMA);
        NetDevice other = new NetDevice(new NetDeviceSetup("eth0", 1, 1500, 0, List.of(), SENDS), driver);
        assertThatThrownBy(() -> NetHost.standalone(other))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        other.registration().free();
    }

    @Test
    @Covers("NDEV-106")
    void aRegistrationThatFailsIsUndoneByTheDriverAndMayBeTriedAgain() {
        driver.offered = FeatureSet.of(NetDeviceFeature.SG);
        NetDevice twice = new NetDevice(new NetDeviceSetup("eth0", 1, 1500, 0, List.of(), SENDS), driver);
        driver.refused.add("features");
        assertThat(driver.calls).isEmpty();
        driver.unable = FeatureSet.of(NetDeviceFeature.TSO);
        assertThatThrownBy(() -> NetHost.standalone(twice)).isInstanceOf(RdmaException.class);
        assertThat(driver.calls).startsWith("init").endsWith("uninit").hasSize(3);
        driver.refused.clear();
        NetHost.standalone(twice);
        assertThat(twice.features().hw()).contains(NetDeviceFeature.SG);
        twice.unregister();
    }

    @Test
    @Covers("NDEV-97")
    void withoutScatterGatherGoesAllThatNeedsItAndComesBackWithIt() {
        FeatureSet before = device.features().active();
        device.features().set(NetDeviceFeature.SG, false);
        assertThat(device.features().active())
                .containsExactly(NetDeviceFeature.HW_CSUM, NetDeviceFeature.HIGHDMA, NetDeviceFeature.GRO);
        device.features().set(NetDeviceFeature.SG, true);
        assertThat(device.features().active()).isEqualTo(before);
    }

    @Test
    @Covers("NDEV-85")
    void messagesAreSwitchedByCategoryWhileTheProgramRuns() {
        device.features().set(NetDeviceFeature.SG, false);
        assertThat(log.lines()).as("debug messages are off").isEmpty();
        log.level(Level.FINE);
        device.features().update();
        assertThat(log.lines())
                .containsExactly("eth0: dropping TSO features for lack of SG", "eth0: dropping GSO for lack of SG");
        log.level(Level.OFF);
        device.features().update();
        assertThat(log.lines()).hasSize(2);
    }

    @Test
    @Covers("NDEV-78")
    void aVlanDeviceInheritsWhatItsParentDoesForTags() {
        device.features().vlan(FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.TSO, NetDeviceFeature.TSO6));
        assertThat(device.features().vlan()).hasSize(3);
        assertThat(device.features().inheritedByVlan())
                .as("what the parent does not do itself, a child cannot")
                .containsExactlyInAnyOrder(NetDeviceFeature.SG, NetDeviceFeature.TSO, NetDeviceFeature.LLTX);
        device.features().set(NetDeviceFeature.TSO, false);
        assertThat(device.features().inheritedByVlan())
                .containsExactlyInAnyOrder(NetDeviceFeature.SG, NetDeviceFeature.LLTX);
    }

    @Test
    @Covers("NDEV-79")
    void aTunnelInheritsWhatTheDeviceDoesForPacketsInsideOfOthers() {
        assertThat(device.features().inheritedByTunnel()).containsExactly(NetDeviceFeature.SG);
        device.features().hwEnc(FeatureSet.of(NetDeviceFeature.HW_CSUM));
        assertThat(device.features().inheritedByTunnel()).containsExactly(NetDeviceFeature.HW_CSUM);
        device.features().set(NetDeviceFeature.HW_CSUM, false);
        assertThat(device.features().inheritedByTunnel()).isEmpty();
    }

    @Test
    @Covers({"NDEV-190", "NDEV-191"})
    void theLongestTrainIsLimited() {
        assertThat(device.features().gsoMaxSize()).isEqualTo(65_536);
        device.features().gsoMaxSize(1000);
        assertThat(device.features().gsoMaxSize()).isEqualTo(1000);
        assertThatThrownBy(() -> device.features().gsoMaxSize(0)).isInstanceOf(RdmaException.class);
    }

    @Test
    void everyFeatureHasTheNamesThatPeopleKnow() {
        assertThat(NetDeviceFeature.IP_CSUM.kernelName()).isEqualTo("NETIF_F_IP_CSUM");
        assertThat(NetDeviceFeature.IP_CSUM.ethtoolName()).isEqualTo("tx-checksum-ipv4");
        assertThat(NetDeviceFeature.ofEthtoolName("rx-gro")).contains(NetDeviceFeature.GRO);
        assertThat(NetDeviceFeature.ofEthtoolName("rx-magic")).isEmpty();
        assertThat(NetDeviceFeature.values())
                .extracting(NetDeviceFeature::ethtoolName)
                .doesNotHaveDuplicates();
    }
}
