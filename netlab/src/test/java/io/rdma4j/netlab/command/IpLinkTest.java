// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.netlab.Machine;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IpLinkTest {
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
    @Covers("TOOL-25")
    void aDeviceIsRenamed() {
        NetDevice device = terminal.device("eth0");
        terminal.type("ip link set eth0 name lan0");
        assertThat(terminal.device("lan0")).isSameAs(device);
        assertThat(machine.find(Machine.INITIAL, "eth0")).isNull();

        assertThat(terminal.fail("ip link set lan0 name a-name-that-is-too-long"))
                .contains("\"name\" too long");
        assertThat(terminal.fail("ip link set lan0 name .")).contains("RTNETLINK answers: Invalid argument");
        assertThat(terminal.fail("ip link set lan0 name eth1")).contains("RTNETLINK answers: File exists");
        assertThat(device.name()).isEqualTo("lan0");
    }

    @Test
    @Covers("TOOL-26")
    void anAliasIsNotedAndShown() {
        terminal.type("ip link set eth0 alias uplink");
        assertThat(terminal.device("eth0").node().alias()).isEqualTo("uplink");
        assertThat(terminal.type("ip link show eth0")).contains("\n    alias uplink");
        assertThat(terminal.type("ip -j link show eth0")).contains("\"ifalias\":\"uplink\"");
    }

    @Test
    @Covers("TOOL-27")
    void vlanDevicesAreStacked() {
        terminal.type("ip link add link eth0 eth0.1000 type vlan proto 802.1ad id 1000");
        terminal.type("ip link add link eth0.1000 eth0.1000.100 type vlan proto 802.1q id 100");

        NetDevice service = terminal.device("eth0.1000");
        NetDevice customer = terminal.device("eth0.1000.100");
        assertThat(service.stack().lowers()).containsExactly(terminal.device("eth0"));
        assertThat(terminal.fail("ip link add link eth0 twin type vlan proto 802.1ad id 1000"))
                .contains("File exists");
        terminal.type("ip link add link eth0 other type vlan proto 802.1q id 1000");
        assertThat(customer.stack().lowers()).containsExactly(service);
        assertThat(terminal.type("ip link show eth0.1000.100")).contains(": eth0.1000.100@eth0.1000: <");
        assertThat(terminal.type("ip -d link show eth0.1000")).contains("\n    vlan ");

        terminal.type("ip link del eth0.1000");
        assertThat(machine.find(Machine.INITIAL, "eth0.1000.100")).isNull();
    }

    @Test
    @Covers("TOOL-28")
    void aDeviceIsMadeWithManyQueues() {
        terminal.type("ip link add link eth0 name eth0.8 numtxqueues 6 numrxqueues 7 type vlan id 8");
        NetDevice device = terminal.device("eth0.8");
        assertThat(device.transmitQueues().count()).isEqualTo(6);
        assertThat(device.receiveQueues().count()).isEqualTo(7);
        assertThat(terminal.type("ip -d link show eth0.8")).contains(" numtxqueues 6 numrxqueues 7 ");
        assertThat(terminal.fail("ip link add link eth0 name eth0.9 numtxqueues 4097 type vlan id 9"))
                .contains("RTNETLINK answers: Invalid argument");
    }

    @Test
    @Covers("TOOL-29")
    void theOlderCommandMakesVlanDevices() {
        assertThat(terminal.type("vconfig add eth0 100")).isEqualTo("Added VLAN with VID == 100 to IF -:eth0:-");
        assertThat(terminal.device("eth0.100").flags().isVlan()).isTrue();
        assertThat(terminal.fail("ip link add link eth0 twin type vlan id 100")).contains("File exists");
        assertThat(terminal.fail("vconfig add eth0 4095")).contains("4095");

        terminal.type("vconfig rem eth0.100");
        assertThat(machine.find(Machine.INITIAL, "eth0.100")).isNull();
    }

    @Test
    @Covers("TOOL-31")
    void theMtuIsChangedInThreeWays() {
        NetDevice device = terminal.device("eth0");
        terminal.type("ip link set eth0 mtu 1400");
        assertThat(device.mtu()).isEqualTo(1400);
        assertThat(terminal.type("ip link show eth0")).contains(" mtu 1400 ");

        terminal.type("ifconfig eth0 mtu 1300");
        assertThat(device.mtu()).isEqualTo(1300);

        machine.net().initial().attributes().write("/sys/class/net/eth0/mtu", "1200");
        assertThat(device.mtu()).isEqualTo(1200);

        assertThat(terminal.fail("ip link set eth0 mtu 60")).contains("RTNETLINK answers: Invalid argument");
        assertThat(device.mtu()).isEqualTo(1200);
    }

    @Test
    @Covers("TOOL-32")
    void theLengthOfTheQueueIsChanged() {
        NetDevice device = terminal.device("eth0");
        terminal.type("ip link set txqueuelen 500 dev eth0");
        assertThat(device.transmitQueues().length()).isEqualTo(500);
        assertThat(terminal.type("ip link show eth0")).contains(" qlen 500\n");

        terminal.type("ifconfig eth0 txqueuelen 400");
        assertThat(device.transmitQueues().length()).isEqualTo(400);
    }

    @Test
    @Covers("TOOL-33")
    void stationsAreAskedForTheirAddressesOrNot() {
        terminal.type("ip link set dev eth0 arp off");
        assertThat(flag(DeviceFlag.NOARP)).isTrue();
        assertThat(terminal.type("ip link show eth0")).contains("MULTICAST,NOARP");
        terminal.type("ip link set dev eth0 arp on");
        assertThat(flag(DeviceFlag.NOARP)).isFalse();

        terminal.type("ifconfig eth0 -arp");
        assertThat(flag(DeviceFlag.NOARP)).isTrue();
        terminal.type("ifconfig eth0 arp");
        assertThat(flag(DeviceFlag.NOARP)).isFalse();
        assertThat(terminal.fail("ip link set eth0 arp maybe")).contains("must be \"on\" or \"off\"");
    }

    @Test
    @Covers("TOOL-34")
    void allGroupsAreReceivedOrNot() {
        terminal.type("ip link set dev eth0 allmulticast on");
        assertThat(flag(DeviceFlag.ALLMULTI)).isTrue();
        assertThat(terminal.device("eth0").link().isAllMulticast()).isTrue();
        terminal.type("ip link set dev eth0 allmulticast off");
        assertThat(flag(DeviceFlag.ALLMULTI)).isFalse();

        terminal.type("ifconfig eth0 allmulti");
        assertThat(flag(DeviceFlag.ALLMULTI)).isTrue();
        terminal.type("ifconfig eth0 -allmulti");
        assertThat(flag(DeviceFlag.ALLMULTI)).isFalse();
    }

    private boolean flag(DeviceFlag flag) {
        return terminal.device("eth0").flags().has(flag);
    }

    @Test
    void aPairComesAndGoesTogether() {
        terminal.type("ip link set eth0 up");
        assertThat(terminal.type("ip link show eth0")).contains("<NO-CARRIER,BROADCAST,MULTICAST,UP,M-DOWN>");
        terminal.type("ip link set eth1 up");
        assertThat(terminal.type("ip -br l show eth0")).startsWith("eth0@eth1").contains("LOWER_UP");

        terminal.type("ip link del eth1");
        assertThat(machine.find(Machine.INITIAL, "eth0")).isNull();
    }

    @Test
    void portsJoinABridgeAndLeaveIt() {
        terminal.type("ip link add br0 type bridge");
        terminal.type("ip link set eth0 master br0");
        assertThat(terminal.device("eth0").stack().master()).isSameAs(terminal.device("br0"));
        assertThat(terminal.type("ip link show master br0"))
                .contains("eth0@eth1")
                .contains(" master br0 ");
        terminal.type("ip link set eth0 nomaster");
        assertThat(terminal.device("eth0").stack().master()).isNull();
    }

    @Test
    void countersAreShown() {
        assertThat(terminal.type("ip -s link show eth0"))
                .contains("\n    RX: bytes packets errors dropped missed mcast ")
                .contains("\n    TX: bytes packets errors dropped carrier collsns ");
        assertThat(terminal.type("ip -j -s link show eth0")).contains("\"stats64\":{", "\"multicast\":0");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThat(terminal.fail("ip link show nothing")).contains("Cannot find device \"nothing\"");
        assertThat(terminal.fail("ip link add x type nothing")).contains("RTNETLINK answers: Operation not supported");
        assertThat(terminal.fail("ip wire show")).contains("Object \"wire\" is unknown");
        assertThat(terminal.fail("ip link set up")).contains("\"dev\" argument is required");
    }

    @Test
    @Covers({"NDEV-127", "NDEV-128"})
    void virtualFunctionsAreMadeAndGivenAnAddressAndAVlan() {
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end("lan0", 0, 1500, 0x0200_0000_0001L, List.of()),
                VethDevice.end("lan1", 0, 1500, 0x0200_0000_0002L, List.of()),
                VethDevice.DEFAULT_QUEUE_LENGTH);
        machine.net().initial().register(pair.first()).up();
        machine.net().initial().register(pair.second()).up();
        String file = "/sys/class/net/lan0/device/sriov_numvfs";
        assertThat(terminal.fail("ip link set lan0 vf 0 mac 02:00:00:00:00:10")).contains("EOPNOTSUPP");
        terminal.type("echo 2 > " + file);
        assertThat(terminal.type("cat " + file)).isEqualTo("2");
        assertThat(terminal.fail("echo 3 > " + file)).contains("EBUSY");
        assertThat(terminal.fail("echo 64 > " + file)).contains("ERANGE", "0..63");

        terminal.type("ip link set lan0 vf 0 mac 02:00:00:00:00:10");
        assertThat(terminal.device("lan0v0").macAddress()).isEqualTo(0x0200_0000_0010L);
        terminal.type("ip link set lan0v1 up");
        terminal.type("ip link set lan0 vf 1 vlan 30 qos 5");
        assertThat(firstSent(terminal.device("lan0v1"), pair.second())).isEqualTo("8100a01e88b5");
        assertThat(terminal.fail("ip link set lan0 vf 2 vlan 30")).contains("has no function 2");
        assertThat(terminal.fail("ip link set lan0 vf 1 vlan 4095")).contains("ERANGE");

        terminal.type("echo 0 > " + file);
        assertThat(machine.find(Machine.INITIAL, "lan0v0")).isNull();
        assertThat(terminal.type("cat " + file)).isEqualTo("0");
    }

    /** The 6 bytes after the MAC addresses of a sent frame, as the other end of the link receives it. */
    private String firstSent(NetDevice from, NetDevice to) {
        List<String> seen = new ArrayList<>();
        try (SkBuffPool pool = new SkBuffPool(2, 256)) {
            to.flags().change(DeviceFlag.PROMISC, true);
            machine.loop().exclusively(() -> {
                to.protocols()
                        .addTap(
                                EtherType.ALL,
                                skb -> seen.add(HexFormat.of()
                                        .formatHex(skb.memory()
                                                .asSlice(skb.macHeader() + 12L, 6)
                                                .toArray(ValueLayout.JAVA_BYTE))));
                SkBuff skb = Objects.requireNonNull(pool.allocate());
                skb.reserve(64);
                skb.put(46);
                skb.meta().protocol(0x88B5);
                from.pushLinkHeader(skb, 0x88B5, to.macAddress());
                from.transmit(skb);
            });
            for (int i = 0; i < 100 && seen.isEmpty(); i++) {
                machine.loop().progress(System.nanoTime());
            }
        }
        return seen.getFirst();
    }

    @Test
    @Covers("NDEV-40")
    void aLinkWaitsForTheProgramThatLooksAfterIt() {
        terminal.type("ip link add lan0 type veth peer name lan1");
        terminal.type("ip link set lan0 mode dormant up");
        terminal.type("ip link set lan1 up");
        machine.loop().progress(System.nanoTime());
        assertThat(terminal.type("cat /sys/class/net/lan0/link_mode")).isEqualTo("1");
        assertThat(terminal.type("cat /sys/class/net/lan0/operstate")).isEqualTo("dormant");
        terminal.type("ip link set lan0 state up");
        assertThat(terminal.type("cat /sys/class/net/lan0/operstate")).isEqualTo("up");
        assertThat(terminal.fail("ip link set lan0 mode asleep")).contains("Invalid link mode");
        assertThat(terminal.fail("ip link set lan0 state down")).contains("a program says UP or DORMANT");
    }

    @Test
    void aBridgeAndABondShowTheirSettings() {
        terminal.type("ip link add br0 type bridge ageing_time 1000");
        assertThat(terminal.type("cat /sys/class/net/br0/bridge/ageing_time")).isEqualTo("1000");
        terminal.type("ip link set br0 type bridge ageing_time 2000");
        assertThat(terminal.type("cat /sys/class/net/br0/bridge/ageing_time")).isEqualTo("2000");
        terminal.type("echo 3000 > /sys/class/net/br0/bridge/ageing_time");
        assertThat(terminal.type("cat /sys/class/net/br0/bridge/ageing_time")).isEqualTo("3000");
        assertThat(terminal.fail("ip link set br0 type bridge colour 1")).contains("a bridge has ageing_time");
        assertThat(terminal.fail("ip link set br0 type vlan id 1")).contains("br0 is no vlan");
        terminal.type("ip link add bond0 type bond mode balance-xor");
        assertThat(terminal.type("cat /sys/class/net/bond0/bonding/mode")).isEqualTo("balance-xor 2");
        assertThat(terminal.type("cat /sys/class/net/bond0/bonding/slaves")).isEmpty();
    }

    @Test
    @Covers("NQ-3")
    void thePacketsOfAQueueAreGivenToWorkers() {
        terminal.type("ip link add lan0 type veth peer name lan1");
        String file = "/sys/class/net/lan0/queues/rx-0/rps_cpus";
        assertThat(terminal.type("cat " + file)).isEqualTo("0");
        terminal.type("echo 3 > " + file);
        assertThat(terminal.device("lan0").receiveQueues().queue(0).rpsCpus()).isEqualTo(3);
        assertThat(terminal.fail("echo g > " + file)).contains("hexadecimal");
    }
}
