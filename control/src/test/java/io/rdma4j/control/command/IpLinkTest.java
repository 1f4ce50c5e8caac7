package io.rdma4j.control.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.control.Machine;
import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.testing.ledger.Covers;
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
}
