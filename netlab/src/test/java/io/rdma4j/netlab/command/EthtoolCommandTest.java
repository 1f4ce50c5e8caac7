// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.FlowHashTable;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.netlab.Machine;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
            \tLink detected: yes\
            """);
        assertThat(terminal.fail("ethtool -s eth0 speed 100")).contains("EOPNOTSUPP");

        Adapter adapter = new Adapter();
        terminal.device("eth1").setEthtool(adapter);
        terminal.type("ethtool -s eth1 speed 100 duplex half autoneg off");
        assertThat(adapter.settings).isEqualTo(new LinkSettings(100, Duplex.HALF, false));
        assertThat(terminal.type("ethtool eth1")).contains("Speed: 100Mb/s", "Duplex: Half", "Auto-negotiation: off");
    }

    @Test
    @Covers("TOOL-42")
    void receiveChecksumsOfALinkAreSwitchedOnAndTheStackBelievesThem() {
        assertThat(terminal.type("ethtool -k eth1")).contains("\nrx-checksumming: off\n");
        assertThat(checksumReceived()).isEqualTo(ChecksumState.NONE);
        terminal.type("ethtool -K eth1 rx on");
        assertThat(terminal.type("ethtool -k eth1")).contains("\nrx-checksumming: on\n");
        assertThat(checksumReceived()).isEqualTo(ChecksumState.COMPLETE);
    }

    /** The checksum state of a frame from eth0 when eth1 receives it. */
    private ChecksumState checksumReceived() {
        NetDevice from = terminal.device("eth0");
        NetDevice to = terminal.device("eth1");
        from.up();
        to.up();
        List<ChecksumState> seen = new ArrayList<>();
        PacketTap tap = skb -> {
            seen.add(skb.meta().ipSummed());
            assertThat(skb.meta().ipSummed() != ChecksumState.COMPLETE
                            || (skb.meta().csum() & 0xFFFF) + (skb.meta().csum() >>> 16) == 0x0102)
                    .as("the sum leaves the link header out: "
                            + Integer.toHexString(skb.meta().csum()))
                    .isTrue();
        };
        try (SkBuffPool pool = new SkBuffPool(2, 256)) {
            machine.loop().exclusively(() -> {
                to.protocols().addTap(0x88B5, tap);
                SkBuff skb = Objects.requireNonNull(pool.allocate());
                skb.reserve(64);
                int at = skb.put(46);
                skb.memory().asSlice(at, 46).fill((byte) 0).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                skb.memory().set(ValueLayout.JAVA_BYTE, at + 1L, (byte) 2);
                skb.meta().protocol(0x88B5);
                from.pushLinkHeader(skb, 0x88B5, to.macAddress());
                from.transmit(skb);
            });
            for (int i = 0; i < 100 && seen.isEmpty(); i++) {
                machine.loop().progress(System.nanoTime());
            }
            machine.loop().exclusively(() -> to.protocols().removeTap(tap));
        }
        return seen.getFirst();
    }

    @Test
    @Covers("TOOL-44")
    void ringsAndQueuesAreShownAndQueuesAreChanged() {
        terminal.type("ip link add eth2 numtxqueues 4 numrxqueues 2 type veth peer name eth3");
        assertThat(terminal.type("ethtool -l eth2")).isEqualTo("""
            Channel parameters for eth2:
            Pre-set maximums:
            RX:\t\t2
            TX:\t\t4
            Other:\t\tn/a
            Combined:\tn/a
            Current hardware settings:
            RX:\t\t2
            TX:\t\t4
            Other:\t\tn/a
            Combined:\tn/a\
            """);
        terminal.type("ethtool -L eth2 rx 1 tx 3");
        assertThat(terminal.device("eth2").transmitQueues().realCount()).isEqualTo(3);
        assertThat(terminal.device("eth2").receiveQueues().realCount()).isEqualTo(1);
        assertThat(terminal.fail("ethtool -L eth2 tx 5")).contains("EINVAL", "1..4 transmit queues");
        assertThat(terminal.fail("ethtool -L eth2 other 1")).contains("garbage");
        assertThat(terminal.type("ethtool -g eth0"))
                .startsWith("Ring parameters for eth0:\nPre-set maximums:\nRX:\t\t1024\n");
    }

    @Test
    void whatLinuxDoesNotDoForAVethIsRefused() {
        assertThat(terminal.fail("ethtool -G eth0 rx 64")).contains("EOPNOTSUPP", "rings");
        assertThat(terminal.fail("ethtool -x eth0")).contains("EOPNOTSUPP", "flow hash");
        assertThat(terminal.fail("ethtool -X eth0 equal 1")).contains("EOPNOTSUPP", "flow hash");
        assertThat(terminal.fail("ethtool -a eth0")).contains("EOPNOTSUPP", "pause");
        assertThat(terminal.fail("ethtool -A eth0 rx on")).contains("EOPNOTSUPP", "pause");
        assertThat(terminal.fail("ethtool -q eth0")).contains("\"-q\" is unknown");
    }

    @Test
    void flowsAreSpreadOverTheQueuesOfADriverThatHasATable() {
        terminal.type("ip link add eth2 numrxqueues 2 type veth peer name eth3");
        FlowTable driver = new FlowTable();
        terminal.device("eth2").setEthtool(driver);
        terminal.type("ethtool -X eth2 equal 2");
        assertThat(driver.table.queues()).containsExactly(0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
        assertThat(terminal.type("ethtool -x eth2")).isEqualTo("""
            RX flow hash indirection table for eth2 with 2 RX ring(s):
                0:      0     1     0     1     0     1     0     1
                8:      0     1\
            """);
    }

    /** A driver with a flow hash table of ten entries. */
    private static final class FlowTable implements EthtoolOps {
        private FlowHashTable table = FlowHashTable.spread(10, 1);

        @Override
        public FlowHashTable flowHash() {
            return table;
        }

        @Override
        public void setFlowHash(FlowHashTable wanted) {
            table = wanted;
        }
    }

    @Test
    void driversSayWhatTheyAre() {
        assertThat(terminal.type("ethtool -i eth0")).isEqualTo("driver: veth\nversion: 1\nbus-info:");
    }

    /** A driver with variable link settings. */
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
