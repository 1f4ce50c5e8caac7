// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortState;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PortTest {
    private static final Set<PortCapability> CM = Set.of(PortCapability.CM_SUP);

    private final Fixture fixture = new Fixture();
    private final Port port = fixture.context.port(2);

    @Test
    @Covers("PORT-51")
    void portsAreModifiedOneByOneAndOthersAreRefused() {
        port.modify(PortModification.ofCapabilities(CM, Set.of(PortCapability.SM)));
        assertThat(fixture.device.modifications()).containsExactly("2 [CM_SUP] [SM]");
        assertRefused(Errno.EINVAL, "port 0 is not in 1..2", () -> fixture.context.port(0));
        assertRefused(Errno.EINVAL, "port 3 is not in 1..2", () -> fixture.context.port(3));
        fixture.device.refuseNext(Errno.EIO);
        assertRefused(Errno.EIO, "", () -> port.modify(PortModification.ofCapabilities(CM, Set.of())));
    }

    @Test
    @Covers({"DEV-39", "DEV-40", "PORT-51"})
    void whatTheDeviceCannotChangeIsRefusedBeforeItIsAsked() {
        assertRefused(Errno.EOPNOTSUPP, "SHUTDOWN_PORT", () -> port.modify(PortModification.ofShutdown()));
        assertRefused(Errno.EOPNOTSUPP, "INIT_TYPE", () -> port.modify(PortModification.ofInitType(1)));
        assertRefused(Errno.EOPNOTSUPP, "BAD_QKEY_CNTR", () -> port.modify(PortModification.ofQkeyCounterReset()));
        assertThat(fixture.device.modifications()).isEmpty();
        fixture.device.gain(DeviceCapability.SHUTDOWN_PORT, DeviceCapability.INIT_TYPE, DeviceCapability.BAD_QKEY_CNTR);
        port.modify(new PortModification(true, OptionalInt.of(15), true, CM, Set.of()));
        assertThat(fixture.device.modifications()).hasSize(1);
    }

    @Test
    @Covers("PORT-55")
    void aModificationThatContradictsItselfIsNone() {
        assertRefused(Errno.EINVAL, "init_type 16 is not in 0..15", () -> PortModification.ofInitType(16));
        assertRefused(
                Errno.EINVAL, "CM_SUP cannot be both set and cleared", () -> PortModification.ofCapabilities(CM, CM));
        assertThat(PortModification.ofCapabilities(CM, Set.of(PortCapability.SM))
                        .applyTo(Set.of(PortCapability.SM, PortCapability.TRAP_SUP)))
                .containsExactlyInAnyOrder(PortCapability.CM_SUP, PortCapability.TRAP_SUP);
    }

    @Test
    void theFirstAnnouncementSetsTheBitAndTheLastOneClearsIt() {
        PortAnnouncement first = port.announce(PortCapability.VENDOR_CLASS_SUP);
        PortAnnouncement second = fixture.host.open("loop0").port(2).announce(PortCapability.VENDOR_CLASS_SUP);
        PortAnnouncement other = fixture.context.port(1).announce(PortCapability.VENDOR_CLASS_SUP);
        assertThat(first.capability()).isEqualTo(PortCapability.VENDOR_CLASS_SUP);
        first.close();
        first.close();
        assertThat(fixture.device.modifications())
                .containsExactly("2 [VENDOR_CLASS_SUP] []", "1 [VENDOR_CLASS_SUP] []");
        second.close();
        other.close();
        assertThat(fixture.device.modifications())
                .endsWith("2 [] [VENDOR_CLASS_SUP]", "1 [] [VENDOR_CLASS_SUP]")
                .hasSize(4);
    }

    @Test
    void anAnnouncementThatFailsIsNotCounted() {
        fixture.device.refuseNext(Errno.EIO);
        assertRefused(Errno.EIO, "", () -> port.announce(PortCapability.CM_SUP));
        port.announce(PortCapability.CM_SUP);
        assertThat(fixture.device.modifications()).hasSize(1);
    }

    @Test
    void whoAnnouncesKeepsTheContextOpen() {
        PortAnnouncement announcement = port.announce(PortCapability.CM_SUP);
        fixture.pd.close();
        assertRefused(Errno.EBUSY, "1 port announcement", fixture.context::close);
        announcement.close();
        fixture.context.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = PortCapability.class,
            names = {"SM", "TRAP_SUP", "IP_BASED_GIDS", "LED_INFO_SUP"})
    void onlyListenersAnnounceThemselves(PortCapability capability) {
        assertRefused(Errno.EINVAL, capability + " does not say", () -> port.announce(capability));
    }

    @Test
    void aDeviceThatIsNotManagedSaysSo() {
        assertRefused(Errno.EOPNOTSUPP, "can be managed", port::info);
        assertThat(port.query()).isEqualTo(fixture.context.queryPort(2));
        assertThat(port.guid()).isEqualTo(2);
        assertThat(port.toString()).isEqualTo("loop0/2");
    }

    @ParameterizedTest
    @CsvSource({"0,1,1", "1,1,1", "2,2,2", "3,2,2", "4,3,4", "7,3,4", "8,4,8", "14,4,8", "15,5,15", "100,5,15"})
    @Covers("PORT-15")
    void lanesHaveCodes(int lanes, int code, int told) {
        assertThat(PortAttributes.vlCode(lanes)).isEqualTo(code);
        assertThat(port(code, 0).virtualLanes()).isEqualTo(told);
    }

    @Test
    @Covers("PORT-16")
    void theSubnetTimeoutIsAPowerOfTwo() {
        assertThat(port(1, 0).subnetTimeoutNs()).isEqualTo(4096);
        assertThat(port(1, 18).subnetTimeoutNs()).isEqualTo(4096L << 18);
        assertThat(port(1, 31).subnetTimeoutNs()).isEqualTo(4096L << 31);
    }

    private static PortAttributes port(int maxVlNumber, int subnetTimeout) {
        return new PortAttributes(
                PortState.ACTIVE,
                Mtu.MTU_4096,
                Mtu.MTU_1024,
                1,
                Set.of(),
                1,
                0,
                0,
                1,
                0,
                0,
                0,
                maxVlNumber,
                0,
                subnetTimeout,
                0,
                LinkWidth.X1,
                LinkSpeed.SDR,
                PhysicalState.LINK_UP,
                LinkLayer.ETHERNET);
    }

    @Test
    void valuesTooWideForTheirFieldsAreRefused() {
        PortInfo info = new PortInfo(PortState.ACTIVE, PhysicalState.LINK_UP, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, false);
        assertRefused(
                Errno.EINVAL,
                "SubnetTimeOut 32 is not in 0..31",
                () -> info.toBuilder().subnetTimeout(32).build());
        assertRefused(
                Errno.EINVAL, "LID 65536", () -> info.toBuilder().lid(65_536, 0).build());
        assertRefused(Errno.EINVAL, "LMC 8", () -> info.toBuilder().lid(1, 8).build());
        assertRefused(
                Errno.EINVAL,
                "MasterSMLID -1",
                () -> info.toBuilder().masterSm(-1, 0).build());
        assertRefused(
                Errno.EINVAL,
                "MasterSMSL 16",
                () -> info.toBuilder().masterSm(1, 16).build());
        assertRefused(
                Errno.EINVAL, "InitType 16", () -> info.toBuilder().initType(16).build());
        assertRefused(
                Errno.EINVAL,
                "InitTypeReply 16",
                () -> info.toBuilder().initTypeReply(16).build());
    }
}
