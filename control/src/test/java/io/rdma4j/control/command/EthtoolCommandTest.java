package io.rdma4j.control.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.control.Machine;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.testing.ledger.Covers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EthtoolCommandTest {
    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.MANUAL);
    private final Terminal terminal = new Terminal(machine);

    @BeforeEach
    void cable() {
        terminal.type("ip link add eth0 type veth peer name eth1");
    }

    @AfterEach
    void close() {
        machine.close();
    }

    @Test
    @Covers("TOOL-41")
    void featuresAreShownAndThoseThatAreFixed() {
        assertThat(terminal.type("ethtool -k eth0"))
                .startsWith("Features for eth0:")
                .contains(
                        "\n\ttx-scatter-gather: on\n", "\ngeneric-receive-offload: on\n", "\ntx-lockless: off [fixed]");
        assertThat(terminal.type("ethtool --json -k eth0"))
                .contains("\"tx-lockless\":{\"active\":false,\"fixed\":true,\"requested\":false}");
    }

    @Test
    @Covers("TOOL-42")
    void featuresAreSwitched() {
        NetDevice device = terminal.device("eth0");
        terminal.type("ethtool -K eth0 gro off");
        assertThat(device.features().has(NetDeviceFeature.GRO)).isFalse();
        terminal.type("ethtool -K eth0 gro on");
        assertThat(device.features().has(NetDeviceFeature.GRO)).isTrue();

        assertThat(terminal.type("ethtool -K eth0 sg off"))
                .startsWith("Actual changes:")
                .contains("tx-generic-segmentation: off");
        assertThat(device.features().has(NetDeviceFeature.SG)).isFalse();
        assertThat(terminal.type("ethtool -k eth0")).contains("\ngeneric-segmentation-offload: off [requested on]\n");
        terminal.type("ethtool -K eth0 sg on gso off");
        assertThat(device.features().has(NetDeviceFeature.SG)).isTrue();
        assertThat(device.features().has(NetDeviceFeature.GSO)).isFalse();

        NetDevice loopback = terminal.device("lo");
        terminal.type("ethtool -K lo rx off");
        assertThat(loopback.features().has(NetDeviceFeature.RXCSUM)).isFalse();
        assertThat(terminal.fail("ethtool -K eth0 rxhash on")).contains("Could not change any device features");
    }

    @Test
    @Covers("TOOL-43")
    void driversShowTheirStatistics() {
        assertThat(terminal.type("ethtool -S eth0"))
                .startsWith("NIC statistics:\n     peer_ifindex: "
                        + terminal.device("eth1").ifindex() + "")
                .contains("\n     tx_no_room: 0");
        assertThat(terminal.type("ethtool -j -S eth0")).contains("\"tx_unwanted\":0");
        assertThat(terminal.fail("ethtool -S lo")).isEqualTo("no stats available");
    }

    @Test
    @Covers("TOOL-44")
    void linkSettingsAreShownAndChanged() {
        terminal.type("ip link set eth0 up");
        terminal.type("ip link set eth1 up");
        assertThat(terminal.type("ethtool eth0")).isEqualTo("""
                Settings for eth0:
                \tSpeed: 10000Mb/s
                \tDuplex: Full
                \tAuto-negotiation: off
                \tLink detected: yes""");
        assertThat(terminal.fail("ethtool -s eth0 speed 100")).contains("EOPNOTSUPP");

        Adapter adapter = new Adapter();
        terminal.device("eth1").setEthtool(adapter);
        terminal.type("ethtool -s eth1 speed 100 duplex half autoneg off");
        assertThat(adapter.settings).isEqualTo(new LinkSettings(100, Duplex.HALF, false));
        assertThat(terminal.type("ethtool eth1")).contains("Speed: 100Mb/s", "Duplex: Half", "Auto-negotiation: off");
    }

    @Test
    void driversSayWhatTheyAre() {
        assertThat(terminal.type("ethtool -i eth0")).isEqualTo("driver: veth\nversion: 1\nbus-info:");
    }

    /** A driver whose link can be set. */
    private static final class Adapter implements EthtoolOps {
        private LinkSettings settings = new LinkSettings(1000, Duplex.FULL, true);

        @Override
        public LinkSettings linkSettings() {
            return settings;
        }

        @Override
        public void setLinkSettings(LinkSettings wanted) {
            settings = wanted;
        }
    }
}
