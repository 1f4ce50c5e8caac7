// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.ethtool.ChannelCounts;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.FlowHashTable;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.net.ethtool.RingParameters;
import io.rdma4j.net.ethtool.WakeOnLan;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EthtoolTest {
    private final ControlledDriver driver = new ControlledDriver();
    private final NetDevice device = NetHost.standalone(new NetDevice(
            new NetDeviceSetup(
                    LinkType.ETHERNET,
                    "eth0",
                    3,
                    1500,
                    0,
                    List.of(),
                    FeatureSet.of(
                            NetDeviceFeature.SG,
                            NetDeviceFeature.HIGHDMA,
                            NetDeviceFeature.HW_CSUM,
                            NetDeviceFeature.TSO,
                            NetDeviceFeature.RXCSUM)),
            driver));

    @AfterEach
    void close() {
        device.unregister();
    }

    @Test
    @Covers({"NDEV-89", "NDEV-97", "NDEV-98", "NDEV-104"})
    void theReportSaysWhatIsOnAndWhatIsFixed() {
        assertThat(FeatureReport.of(device).lines())
                .contains(
                        "Features for eth0:",
                        "rx-checksumming: on",
                        "tx-checksumming: on",
                        "\ttx-checksum-ip-generic: on",
                        "\ttx-checksum-ipv4: off [fixed]",
                        "scatter-gather: on",
                        "\ttx-scatter-gather: on",
                        "tcp-segmentation-offload: on",
                        "generic-segmentation-offload: on",
                        "generic-receive-offload: on",
                        "rx-vlan-offload: off [fixed]",
                        "highdma: on [fixed]",
                        "vlan-challenged: off [fixed]",
                        "netns-local: off [fixed]")
                .hasSize(1 + 9 + 7 + 7);
        group("sg").set(device, false);
        group("rx").set(device, false);
        group("gro").set(device, false);
        assertThat(FeatureReport.of(device).lines())
                .contains(
                        "rx-checksumming: off",
                        "scatter-gather: off",
                        "\ttx-tcp-segmentation: off [requested on]",
                        "generic-segmentation-offload: off [requested on]",
                        "generic-receive-offload: off");
        group("sg").set(device, true);
        group("gso").set(device, false);
        assertThat(FeatureReport.of(device).lines())
                .contains("\ttx-tcp-segmentation: on", "generic-segmentation-offload: off");
        refused(Errno.EOPNOTSUPP, () -> group("rxvlan").set(device, true));
        assertThat(OffloadGroup.of("lro")).isEmpty();
    }

    @Test
    @Covers("NDEV-104")
    void theLoopbackInterfaceShowsWhatNobodyChanges() {
        NetDevice lo = LoopbackDevice.create("lo", 1, List.of(), 8);
        assertThat(FeatureReport.of(lo).lines())
                .contains(
                        "netns-local: on [fixed]",
                        "vlan-challenged: on [fixed]",
                        "highdma: on [fixed]",
                        "rx-checksumming: on",
                        "scatter-gather: on",
                        "generic-segmentation-offload: on",
                        "generic-receive-offload: on");
        lo.unregister();
    }

    private static OffloadGroup group(String name) {
        return OffloadGroup.of(name).orElseThrow();
    }

    @Test
    @Covers("NDEV-130")
    void aDriverThatShowsNothingHasAnEmptyObject() {
        EthtoolOps nothing = device.ethtool();
        assertThat(nothing).isSameAs(EthtoolOps.NONE);
        List<ThrowingCallable> questions = List.of(
                nothing::driverInfo,
                nothing::linkSettings,
                () -> nothing.setLinkSettings(new LinkSettings(10, Duplex.HALF, true)),
                nothing::registers,
                nothing::statistics,
                nothing::ring,
                () -> nothing.setRing(new RingParameters(8, 8, 8, 8)),
                nothing::channels,
                () -> nothing.setChannels(new ChannelCounts(2, 2, 1, 1)),
                nothing::flowHash,
                () -> nothing.setFlowHash(FlowHashTable.spread(8, 2)),
                nothing::wakeOnLan,
                () -> nothing.setWakeOnLan(new WakeOnLan(Set.of(), Set.of())));
        assertThat(questions).allSatisfy(question -> refused(Errno.EOPNOTSUPP, question));
    }

    /** A driver with a flow hash table and wake-on-LAN. */
    private static final class Adapter implements EthtoolOps {
        private FlowHashTable flows = FlowHashTable.spread(4, 2);
        private WakeOnLan wake = new WakeOnLan(Set.of(WakeOnLan.Cause.MAGIC), Set.of());
        private LinkSettings link = new LinkSettings(1000, Duplex.FULL, true);

        @Override
        public FlowHashTable flowHash() {
            return flows;
        }

        @Override
        public void setFlowHash(FlowHashTable table) {
            flows = table;
        }

        @Override
        public WakeOnLan wakeOnLan() {
            return wake;
        }

        @Override
        public void setWakeOnLan(WakeOnLan other) {
            wake = other;
        }

        @Override
        public LinkSettings linkSettings() {
            return link;
        }

        @Override
        public void setLinkSettings(LinkSettings settings) {
            link = settings;
        }

        @Override
        public byte[] registers() {
            return new byte[] {1, 2};
        }
    }

    @Test
    @Covers({"NDEV-130", "NDEV-131"})
    void aDriverInstallsWhatItShowsAndLetsBeSet() {
        device.setEthtool(new Adapter());
        EthtoolOps adapter = device.ethtool();
        assertThat(adapter.flowHash().queues()).containsExactly(0, 1, 0, 1);
        adapter.setFlowHash(new FlowHashTable(List.of(0, 0, 1)));
        assertThat(adapter.flowHash().queueOf(2)).isEqualTo(1);
        assertThat(adapter.flowHash().queueOf(-1))
                .as("2^32 - 1 is a multiple of 3")
                .isZero();
        adapter.setWakeOnLan(new WakeOnLan(adapter.wakeOnLan().supported(), Set.of(WakeOnLan.Cause.MAGIC)));
        assertThat(adapter.wakeOnLan().enabled()).containsExactly(WakeOnLan.Cause.MAGIC);
        adapter.setLinkSettings(new LinkSettings(100, Duplex.HALF, false));
        assertThat(adapter.linkSettings().speedMbps()).isEqualTo(100);
        assertThat(adapter.registers()).hasSize(2);
        refused(Errno.EOPNOTSUPP, adapter::statistics);
        refused(Errno.EINVAL, () -> new FlowHashTable(List.of()));
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
