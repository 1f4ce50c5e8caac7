// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.transmit.TrafficClasses;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.PortAnnouncement;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceModification;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.values.EventType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Attributes that management writes to a port are stored, reported, and raise events; attributes of the port are
 * correct.
 */
class PortInfoTest {
    private final PortBench bench = new PortBench(DeviceProfile.FULL);

    @AfterEach
    void close() {
        bench.close();
    }

    private PortInfo.Builder info() {
        return bench.port().info().toBuilder();
    }

    private static void assertInvalid(String message, Runnable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call::run)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    @Covers({"PORT-16", "PORT-43"})
    void aSubnetManagerGivesAddressesAndTimesAndAllIsTold() {
        bench.port().setInfo(info().lid(0x1234, 2).subnetTimeout(18).build());
        assertThat(bench.events()).containsExactly(EventType.LID_CHANGE);
        assertThat(bench.query().lid()).isEqualTo(0x1234);
        assertThat(bench.query().lmc()).isEqualTo(2);
        assertThat(bench.query().subnetTimeout()).isEqualTo(18);
        assertThat(bench.query().subnetTimeoutNs()).isEqualTo(4096L << 18);
        bench.port().setInfo(info().masterSm(1, 3).build());
        assertThat(bench.events()).containsExactly(EventType.SM_CHANGE);
        assertThat(bench.query().smLid()).isEqualTo(1);
        assertThat(bench.query().smSl()).isEqualTo(3);
        assertThat(bench.query().capabilities()).contains(PortCapability.CLIENT_REG_SUP);
        bench.port().setInfo(info().clientReregister(true).build());
        assertThat(bench.events()).containsExactly(EventType.CLIENT_REREGISTER);
        assertThat(bench.port().info().clientReregister()).isFalse();
        bench.port().setInfo(info().build());
        assertThat(bench.events()).isEmpty();
    }

    /** The port exists only while the device is open, but the written attributes are kept. */
    @Test
    void whatWasWrittenOutlivesThePort() {
        bench.port().setInfo(info().lid(7, 0).led(true).managementKey(5).build());
        bench.port().modify(PortModification.ofCapabilities(Set.of(PortCapability.SM), Set.of()));
        bench.reopen();
        assertThat(bench.query().lid()).isEqualTo(7);
        assertThat(bench.port().info().led()).isTrue();
        assertThat(bench.port().info().managementKey()).isEqualTo(5);
        assertThat(bench.query().capabilities()).contains(PortCapability.SM);
        assertThat(bench.events()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = PortCapability.class,
            names = {
                "SM",
                "SM_DISABLED",
                "NOTICE_SUP",
                "TRAP_SUP",
                "CAP_MASK_NOTICE_SUP",
                "DR_NOTICE_SUP",
                "PKEY_SW_EXT_PORT_TRAP_SUP",
                "CM_SUP",
                "SNMP_TUNNEL_SUP",
                "DEVICE_MGMT_SUP",
                "VENDOR_CLASS_SUP",
                "BOOT_MGMT_SUP"
            })
    @Covers({"PORT-51", "PORT-55"})
    void whatProgramsDoBehindThePortTheySayThemselves(PortCapability capability) {
        Set<PortCapability> one = Set.of(capability);
        assertThat(bench.query().capabilities()).doesNotContain(capability);
        bench.port().modify(PortModification.ofCapabilities(one, Set.of()));
        bench.port().modify(PortModification.ofInitType(1));
        assertThat(bench.query().capabilities()).contains(capability);
        bench.port().modify(PortModification.ofCapabilities(Set.of(), one));
        assertThat(bench.query().capabilities()).doesNotContain(capability);
    }

    @ParameterizedTest
    @EnumSource(
            value = PortCapability.class,
            names = {"IP_BASED_GIDS", "AUTO_MIGR_SUP", "PKEY_NVRAM", "EXTENDED_SPEEDS_SUP", "LED_INFO_SUP"})
    @Covers("PORT-51")
    void whatThePortKnowsOfItselfNobodyElseSays(PortCapability capability) {
        Set<PortCapability> one = Set.of(capability);
        assertInvalid(
                capability + " follows from what the device is",
                () -> bench.port().modify(PortModification.ofCapabilities(one, Set.of())));
        assertInvalid(
                capability + " follows", () -> bench.port().modify(PortModification.ofCapabilities(Set.of(), one)));
    }

    @ParameterizedTest
    @EnumSource(
            value = PortCapability.class,
            names = {"CM_SUP", "SNMP_TUNNEL_SUP", "DEVICE_MGMT_SUP", "VENDOR_CLASS_SUP", "BOOT_MGMT_SUP"})
    void anAgentIsToldOfAsLongAsItListens(PortCapability capability) {
        try (PortAnnouncement agent = bench.port().announce(capability)) {
            assertThat(bench.query().capabilities()).contains(agent.capability());
        }
        assertThat(bench.query().capabilities()).doesNotContain(capability);
    }

    @Test
    @Covers({"PORT-31", "DEV-42"})
    void theSystemImageGuidIsThere() {
        assertThat(bench.context.queryDevice().has(DeviceCapability.SYS_IMAGE_GUID))
                .isTrue();
        assertThat(bench.query().capabilities()).contains(PortCapability.SYS_IMAGE_GUID_SUP);
        assertThat(bench.context.queryDevice().systemImageGuid()).isEqualTo(PortBench.GUID);
        bench.context.device().modify(DeviceModification.ofSystemImageGuid(0x1234));
        assertThat(bench.context.queryDevice().systemImageGuid()).isEqualTo(0x1234);
    }

    @Test
    @Covers("PORT-36")
    void aNodeThatAsksToBeInitialisedAgainSaysSo() {
        assertThat(bench.query().capabilities()).contains(PortCapability.REINIT_SUP);
        try (PortBench other = new PortBench(DeviceProfile.FULL.without(DeviceCapability.INIT_TYPE))) {
            assertThat(other.query().capabilities()).doesNotContain(PortCapability.REINIT_SUP);
        }
    }

    @Test
    @Covers("PORT-29")
    void theLightIsSwitched() {
        assertThat(bench.query().capabilities()).contains(PortCapability.LED_INFO_SUP);
        assertThat(bench.port().info().led()).isFalse();
        bench.port().setInfo(info().led(true).build());
        assertThat(bench.port().info().led()).isTrue();
    }

    @Test
    @Covers("PORT-46")
    void thePortGuidIsThatOfTheFirstGidWhichIsUnique() {
        assertThat(bench.context.queryGidTable())
                .extracting(GidEntry::gid)
                .containsExactly(Bench.LOCAL_V4)
                .allMatch(gid -> gid.toString().equals("::ffff:10.1.0.1"));
        assertThat(bench.port().guid()).isEqualTo(Bench.LOCAL_V4.interfaceId());
    }

    /** A port has a GID even if its interface has no address: subnet prefix and port GUID. */
    @Test
    @Covers("PORT-46")
    void aPortWithoutAddressesHasTheGidOfPrefixAndGuid() {
        try (PortBench bare = new PortBench(DeviceProfile.FULL, 1)) {
            Gid first = new Gid(Gid.LINK_LOCAL_PREFIX, PortBench.GUID);
            assertThat(bare.context.queryGidTable()).extracting(GidEntry::gid).containsExactly(first);
            assertThat(bare.port().guid()).isEqualTo(bare.context.device().guid());
            long prefix = 0xFEC0_0000_0000_0001L;
            bare.port().setInfo(bare.port().info().toBuilder().gidPrefix(prefix).build());
            assertThat(bare.events()).containsExactly(EventType.GID_CHANGE);
            assertThat(bare.context.queryGid(1, 0)).isEqualTo(new Gid(prefix, PortBench.GUID));
            bare.network.ip().setGids(List.of(Bench.LOCAL_V6));
            assertThat(bare.events()).containsExactly(EventType.GID_CHANGE);
            assertThat(bare.context.queryGidTable()).extracting(GidEntry::gid).containsExactly(Bench.LOCAL_V6);
        }
    }

    @Test
    @Covers("PORT-28")
    void keysSurviveInAFile(@TempDir Path directory) {
        DeviceProfile lasting = DeviceProfile.FULL.withNonVolatile(directory.resolve("nvram"));
        assertThat(bench.query().capabilities()).doesNotContain(PortCapability.MKEY_NVRAM, PortCapability.PKEY_NVRAM);
        try (PortBench before = new PortBench(lasting)) {
            assertThat(before.query().capabilities()).contains(PortCapability.MKEY_NVRAM, PortCapability.PKEY_NVRAM);
            before.port()
                    .setInfo(before.port().info().toBuilder()
                            .managementKey(-2)
                            .lid(7, 0)
                            .build());
            before.setPkey(1, 0x8005);
        }
        try (PortBench after = new PortBench(lasting)) {
            assertThat(after.port().info().managementKey()).isEqualTo(-2);
            assertThat(after.context.queryPkey(1, 0)).isEqualTo(0xFFFF);
            assertThat(after.context.queryPkey(1, 1)).isEqualTo(0x8005);
            assertThat(after.query().lid()).as("only keys are kept").isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"m_key=xyz", "'p_keys=1,zz'", "p_keys=8000"})
    void aFileThatIsNoneOfOursIsRefused(String content, @TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("rxe0-port1.properties"), content);
        DeviceProfile lasting = DeviceProfile.FULL.withNonVolatile(directory);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new PortBench(lasting).close())
                .satisfies(e -> assertThat(e.errno()).isIn(Errno.EIO, Errno.EINVAL));
    }

    @ParameterizedTest
    @CsvSource({
        "-1, X1, SDR, false", "100, X1, SDR, false", "1000, X1, SDR, false", "10000, X1, FDR10, false",
        "20000, X4, DDR, false", "25000, X1, EDR, true", "40000, X4, FDR10, false", "50000, X2, EDR, true",
        "100000, X4, EDR, true", "200000, X4, HDR, true", "400000, X8, HDR, true"
    })
    @Covers({"PORT-18", "PORT-19", "PORT-33"})
    void widthAndSpeedFollowTheInterface(int mbps, LinkWidth width, LinkSpeed speed, boolean extended) {
        bench.network.setEthtool(new EthtoolOps() {
            @Override
            public LinkSettings linkSettings() {
                return new LinkSettings(mbps, LinkSettings.Duplex.FULL, false);
            }
        });
        assertThat(bench.query().activeWidth()).isEqualTo(width);
        assertThat(bench.query().activeSpeed()).isEqualTo(speed);
        assertThat(bench.query().capabilities().contains(PortCapability.EXTENDED_SPEEDS_SUP))
                .isEqualTo(extended);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1, false", "2, 2, 2, true", "4, 3, 4, true", "8, 4, 8, true", "16, 5, 15, true"})
    @Covers({"PORT-15", "PORT-26"})
    void lanesAreTheQueuesOfTheInterface(int queues, int code, int lanes, boolean mapped) {
        try (PortBench many = new PortBench(DeviceProfile.FULL, queues, Bench.LOCAL_V4)) {
            assertThat(many.query().maxVlNumber()).isEqualTo(code);
            assertThat(many.query().virtualLanes()).isEqualTo(lanes);
            assertThat(many.query().capabilities().contains(PortCapability.SL_MAP_SUP))
                    .isEqualTo(mapped);
            TrafficClasses classes = many.network.transmitQueues().classes();
            classes.count(1);
            assertThat(many.query().virtualLanes()).as("one class is no choice").isEqualTo(1);
        }
    }
}
