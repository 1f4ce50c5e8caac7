// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.testing.ledger.Covers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IpAddressTest {
    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.MANUAL);
    private final Terminal terminal = new Terminal(machine);

    @BeforeEach
    void cable() {
        terminal.type("ip link add eth0 address 52:54:00:77:00:01 type veth peer name eth1");
        terminal.type("ip link set eth0 txqueuelen 1000");
        terminal.type("ip link set eth0 up");
        terminal.type("ip link set eth1 up");
        machine.loop().progress(NanoClock.SYSTEM.nanoTime()); // updates the states of the links
        terminal.type("ip addr add 10.0.0.1/24 dev eth0");
        terminal.type("ip addr add fe80::1/64 dev eth0");
    }

    @AfterEach
    void close() {
        machine.close();
    }

    @Test
    @Covers("TOOL-30")
    void aDeviceIsShownWithItsAddresses() {
        int index = terminal.device("eth0").ifindex();
        assertThat(terminal.type("ip addr show eth0")).isEqualTo(index + """
                : eth0@eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc pfifo_fast state UP group default qlen 1000
                    link/ether 52:54:00:77:00:01 brd ff:ff:ff:ff:ff:ff
                    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0
                       valid_lft forever preferred_lft forever
                    inet6 fe80::1/64 scope link
                       valid_lft forever preferred_lft forever""");
        assertThat(terminal.type("ip a")).contains("1: lo: <LOOPBACK,", index + ": eth0@eth1: ", ": eth1@eth0: ");
        assertThat(terminal.type("ip -6 addr show eth0"))
                .contains("inet6 fe80::1")
                .doesNotContain("inet 10");

        NetDevice other = terminal.device("eth1");
        terminal.type("ip link set eth1 down");
        terminal.type("ip link set eth1 allmulticast on");
        assertThat(other.flags().get()).isEqualTo(4610);
        assertThat(terminal.type("ifconfig eth1"))
                .startsWith("eth1: flags=4610<BROADCAST,ALLMULTI,MULTICAST>  mtu 1500")
                .contains("ether " + MacAddress.toString(other.macAddress()));
        assertThat(terminal.type("ifconfig eth0"))
                .contains("inet 10.0.0.1  netmask 255.255.255.0  broadcast 10.0.0.255")
                .contains("inet6 fe80::1  prefixlen 64  scopeid 0x20<link>");
    }

    @Test
    void programsReadJson() {
        assertThat(terminal.type("ip -j addr show eth0"))
                .startsWith(
                        "[{\"ifindex\":" + terminal.device("eth0").ifindex()
                                + ",\"link\":\"eth1\",\"ifname\":\"eth0\",\"flags\":[\"BROADCAST\",\"MULTICAST\",\"UP\",\"LOWER_UP\"],"
                                + "\"mtu\":1500,\"qdisc\":\"pfifo_fast\",\"operstate\":\"UP\",\"group\":\"default\",\"txqlen\":1000,"
                                + "\"link_type\":\"ether\",\"address\":\"52:54:00:77:00:01\",\"broadcast\":\"ff:ff:ff:ff:ff:ff\",")
                .contains("{\"family\":\"inet\",\"local\":\"10.0.0.1\",\"prefixlen\":24,\"broadcast\":\"10.0.0.255\","
                        + "\"scope\":\"global\",\"label\":\"eth0\",\"valid_life_time\":4294967295,"
                        + "\"preferred_life_time\":4294967295}");
    }

    @Test
    void addressesComeAndGo() {
        assertThat(terminal.fail("ip addr add 10.0.0.1/24 dev eth0")).contains("RTNETLINK answers: File exists");
        terminal.type("ip addr del 10.0.0.1/24 dev eth0");
        assertThat(terminal.device("eth0").ip().list()).hasSize(1);
        assertThat(terminal.fail("ip addr del 10.0.0.1/24 dev eth0"))
                .contains("RTNETLINK answers: Cannot assign requested address");
        terminal.type("ip addr flush dev eth0");
        assertThat(terminal.device("eth0").ip().list()).isEmpty();
    }

    @Test
    void routesAreShownAddedAndAskedFor() {
        assertThat(terminal.type("ip route")).isEqualTo("10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1");
        terminal.type("ip route add default via 10.0.0.254");
        assertThat(terminal.type("ip r")).contains("default via 10.0.0.254 dev eth0");
        assertThat(terminal.type("ip route get 192.0.2.1")).isEqualTo("192.0.2.1 via 10.0.0.254 dev eth0 src 10.0.0.1");
        assertThat(terminal.type("ip -j route"))
                .contains("{\"dst\":\"default\",\"gateway\":\"10.0.0.254\",\"dev\":\"eth0\",\"flags\":[]}");
        terminal.type("ip route del default");
        assertThat(terminal.fail("ip route get 192.0.2.1")).contains("RTNETLINK answers: Network is unreachable");
    }

    @Test
    void neighboursAreMadeByHand() {
        terminal.type("ip neigh add 10.0.0.2 lladdr 52:54:00:77:00:02 dev eth0");
        assertThat(terminal.type("ip neigh")).isEqualTo("10.0.0.2 dev eth0 lladdr 52:54:00:77:00:02 PERMANENT");
        assertThat(terminal.type("ip -j n"))
                .isEqualTo("[{\"dst\":\"10.0.0.2\",\"dev\":\"eth0\",\"lladdr\":\"52:54:00:77:00:02\","
                        + "\"state\":[\"PERMANENT\"]}]");
        assertThat(terminal.fail("ip neigh add 10.0.0.2 lladdr 52:54:00:77:00:03 dev eth0"))
                .contains("File exists");
        terminal.type("ip neigh flush dev eth0");
        assertThat(terminal.type("ip neigh show dev eth0")).contains("PERMANENT");
        terminal.type("ip neigh del 10.0.0.2 dev eth0");
        assertThat(terminal.type("ip neigh")).isEmpty();
    }
}
