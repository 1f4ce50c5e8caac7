// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.GidType;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContextTest {
    private final Fixture fixture = new Fixture();
    private final Context context = fixture.context;

    @Test
    @Covers({"DEV-9", "DEV-10", "DEV-11"})
    void deviceAttributesArriveAsTheProviderGaveThem() {
        DeviceAttributes attributes = context.queryDevice();

        assertThat(attributes.firmwareVersion()).isEqualTo("1.0");
        assertThat(attributes.systemImageGuid()).isEqualTo(0x0200_00ff_fe00_0002L);
        assertThat(attributes.pageSizeCapability()).isEqualTo(0xFFFF_F000L);
        assertThat(attributes.vendorId()).isEqualTo(0xFFFFFF);
        assertThat(attributes.vendorPartId()).isEqualTo(1);
        assertThat(attributes.hardwareVersion()).isEqualTo(2);
        assertThat(attributes.localCaAckDelay()).isEqualTo(15);
        assertThat(attributes.physicalPortCount()).isEqualTo(2);
        assertThat(attributes.atomicCapability()).isEqualTo(AtomicCapability.HCA);
        assertThat(attributes.has(DeviceCapability.RC_RNR_NAK_GEN)).isTrue();
        assertThat(attributes.has(DeviceCapability.N_NOTIFY_CQ)).isFalse();
        assertThat(attributes.limit(DeviceLimit.MAX_QP_WR)).isEqualTo(64);
        assertThat(attributes.limit(DeviceLimit.MAX_PKEYS)).isEqualTo(2);
        assertThat(attributes.limit(DeviceLimit.MAX_RDD)).isZero();
        assertThat(DeviceLimit.MAX_QP_WR.label()).isEqualTo("max_qp_wr");
    }

    @Test
    @Covers({"PORT-1", "PORT-6", "PORT-9", "PORT-10", "PORT-11", "PORT-20", "PORT-44"})
    void portAttributesArriveAsTheProviderGaveThem() {
        PortAttributes ethernet = context.queryPort(1);
        PortAttributes infiniband = context.queryPort(2);

        assertThat(ethernet.state()).isEqualTo(PortState.ACTIVE);
        assertThat(ethernet.maxMtu()).isEqualTo(Mtu.MTU_4096);
        assertThat(ethernet.activeMtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(ethernet.gidTableLength()).isEqualTo(4);
        assertThat(ethernet.pkeyTableLength()).isEqualTo(2);
        assertThat(ethernet.maxMessageSize()).isEqualTo(1 << 23);
        assertThat(ethernet.physicalState()).isEqualTo(PhysicalState.LINK_UP);
        assertThat(ethernet.capabilities()).contains(PortCapability.IP_BASED_GIDS);
        assertThat(context.linkLayer(1)).isEqualTo(LinkLayer.ETHERNET);
        assertThat(context.linkLayer(2)).isEqualTo(LinkLayer.INFINIBAND);
        assertThat(infiniband.lid()).isEqualTo(7);
        assertThat(infiniband.smLid()).isEqualTo(1);
        assertThat(infiniband.activeSpeed()).isEqualTo(LinkSpeed.QDR);
    }

    /**
     * The core creates the object, the register entry and the provider's part. If the provider fails, the core reverts
     * the others.
     */
    @Test
    @Covers({"RXE-31", "RXE-32"})
    void aDomainIsTrackedFromTheDevicesConsentToItsEnd() {
        fixture.device.refuseNext(Errno.EAGAIN);
        assertRefused(Errno.EAGAIN, "refused", context::allocatePd);
        assertRefused(Errno.EBUSY, "still used by 1 protection domain:", context::close);

        ProtectionDomain second = context.allocatePd();
        assertThat(second.toString()).isNotEqualTo(fixture.pd.toString());
        assertRefused(Errno.EBUSY, "still used by 2 protection domains:", context::close);
        context.allocatePd();
        assertRefused(Errno.ENOMEM, "3 protection domains, its max_pd", context::allocatePd);
    }

    @Test
    void aPortThatIsDownIsDownPhysicallyToo() {
        PortAttributes down = PortAttributes.ethernet(false, Mtu.MTU_4096, Mtu.MTU_256, 1, 1, 1);

        assertThat(down.state()).isEqualTo(PortState.DOWN);
        assertThat(down.physicalState()).isEqualTo(PhysicalState.DISABLED);
    }

    @Test
    @Covers("PORT-56")
    void portsAreNumberedFromOneAndOthersAreRefused() {
        assertRefused(Errno.EINVAL, "port 0 is not in 1..2", () -> context.queryPort(0));
        assertRefused(Errno.EINVAL, "port 3 is not in 1..2", () -> context.queryPort(3));
        assertRefused(Errno.EINVAL, "port 3", () -> context.queryGid(3, 0));
        assertRefused(Errno.EINVAL, "port 3", () -> context.queryPkey(3, 0));
        assertRefused(Errno.EINVAL, "port -1", () -> context.pkeyIndex(-1, 0xFFFF));
    }

    @Test
    @Covers("PORT-45")
    void gidsAreReadByIndex() {
        assertThat(context.queryGid(1, 0)).isEqualTo(new Gid(Gid.LINK_LOCAL_PREFIX, 1));
        assertThat(context.queryGidEntry(1, 1))
                .isEqualTo(new GidEntry(Gid.ofIpv4(0x0A00_0001), 1, 1, GidType.ROCE_V2, "lo"));
        assertRefused(Errno.EINVAL, "GID index 4 is not in 0..3", () -> context.queryGid(1, 4));
        assertRefused(Errno.EINVAL, "GID index -1", () -> context.queryGidEntry(1, -1));
    }

    @Test
    void anEmptyGidSlotIsZeroForOneCallAndNoDataForTheOther() {
        assertThat(context.queryGid(1, 2)).isEqualTo(Gid.ZERO);
        assertRefused(Errno.ENODATA, "slot 2", () -> context.queryGidEntry(1, 2));
    }

    @Test
    @Covers("PORT-49")
    void aGidIsFoundOnWhicheverPortHasIt() {
        assertThat(context.findGid(new Gid(Gid.LINK_LOCAL_PREFIX, 2)))
                .get()
                .satisfies(entry -> assertThat(entry.port()).isEqualTo(2));
        assertThat(context.findGid(Gid.ofIpv4(1))).isEqualTo(Optional.empty());
        assertThat(context.queryGidTable())
                .extracting(GidEntry::port, GidEntry::index)
                .hasSize(3);
    }

    @Test
    @Covers({"PORT-47", "PORT-50"})
    void pkeysAreReadByIndexAndFoundByValue() {
        assertThat(context.queryPkey(1, 0)).isEqualTo(0xFFFF);
        assertThat(context.pkeyIndex(1, 0x8001)).isEqualTo(1);
        assertRefused(Errno.EINVAL, "P_Key index 2 is not in 0..1", () -> context.queryPkey(1, 2));
        assertRefused(Errno.ENOENT, "0x1234", () -> context.pkeyIndex(1, 0x1234));
    }

    @Test
    @Covers({"DEV-30", "RXE-16"})
    void theDeviceHasNoMoreObjectsThanItSaysOverAllItsContexts() {
        List<ProtectionDomain> domains = new ArrayList<>(List.of(fixture.pd, context.allocatePd()));
        Context other = fixture.host.open("loop0");
        domains.add(other.allocatePd());

        assertRefused(Errno.ENOMEM, "3 protection domains, its max_pd", other::allocatePd);

        domains.get(1).close();
        other.allocatePd();
    }

    @Test
    @Covers("DEV-30")
    void theOtherLimitsHoldAsWell() {
        List<CompletionQueue> queues = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            queues.add(context.createCq(1));
        }
        for (int i = 0; i < 6; i++) {
            fixture.memory(1);
        }
        for (int i = 0; i < 4; i++) {
            fixture.qp(queues.get(0));
        }

        assertRefused(Errno.ENOMEM, "max_cq", () -> context.createCq(1));
        assertRefused(Errno.ENOMEM, "max_mr", () -> fixture.memory(1));
        assertRefused(Errno.ENOMEM, "max_qp", () -> fixture.qp(queues.get(0)));
    }

    @Test
    void pathsWithValuesTooWideForTheirFieldsAreRefused() {
        assertRefused(Errno.EINVAL, "flow_label", () -> new GlobalRoute(Gid.ZERO, 1 << 20, 0, 0, 0));
        assertRefused(Errno.EINVAL, "sgid_index", () -> new GlobalRoute(Gid.ZERO, 0, 256, 0, 0));
        assertRefused(Errno.EINVAL, "hop_limit", () -> new GlobalRoute(Gid.ZERO, 0, 0, -1, 0));
        assertRefused(Errno.EINVAL, "traffic_class", () -> new GlobalRoute(Gid.ZERO, 0, 0, 0, 256));
        assertRefused(Errno.EINVAL, "sl 16", () -> AddressVector.local(1, 1, 16));
        assertRefused(Errno.EINVAL, "dlid", () -> AddressVector.local(1, 1 << 16, 0));
    }
}
