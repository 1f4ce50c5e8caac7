// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.AttributeGroup;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttributeTreeTest {
    private final NetHost host = NetHost.create(NanoClock.SYSTEM);
    private final NetNamespace namespace = host.initial();
    private final AttributeTree tree = namespace.attributes();
    private final NetDevice device = StubDriver.device("eth0");

    @AfterEach
    void close() {
        host.unregister(host.devices());
        device.unregister();
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private String read(String attribute) {
        return tree.read("/sys/class/net/eth0/" + attribute);
    }

    private void write(String attribute, String value) {
        tree.write("/sys/class/net/eth0/" + attribute, value);
    }

    @ParameterizedTest
    @CsvSource({
        "carrier, 1",
        "ifindex, 2",
        "iflink, 2",
        "mtu, 1500",
        "type, 1",
        "addr_assign_type, 1",
        "addr_len, 6",
        "broadcast, ff:ff:ff:ff:ff:ff",
        "netdev_group, 0",
        "operstate, unknown",
        "dormant, 0",
        "link_mode, 0",
        "statistics/rx_packets, 0",
        "statistics/multicast, 0",
        "statistics/tx_dropped, 0",
        "tx_queue_len, 0",
        "queues/rx-0/rps_cpus, 0",
        "queues/tx-0/tx_timeout, 0"
    })
    @Covers("NDEV-24")
    void everyDeviceShowsItself(String attribute, String value) {
        namespace.register(device).up();
        assertThat(read(attribute)).isEqualTo(value);
    }

    @Test
    @Covers("NDEV-24")
    void addressesFlagsAndCountersAreInTheKernelsForm() {
        namespace.register(device).up();
        assertThat(read("address")).isEqualTo(MacAddress.toString(device.macAddress()));
        assertThat(read("flags"))
                .as("without what is known of the link only, as in Linux")
                .isEqualTo("0x"
                        + Integer.toHexString(
                                device.flags().get() & ~(DeviceFlag.RUNNING.mask() | DeviceFlag.LOWER_UP.mask())));
        SkBuffPool pool = new SkBuffPool(1, 64);
        device.linkState().detach();
        device.transmit(Objects.requireNonNull(pool.allocate()));
        assertThat(read("statistics/tx_dropped")).isEqualTo("1");
        pool.close();
        device.down();
        device.setMacAddress(0x02_0000_0000_01L);
        assertThat(read("addr_assign_type")).isEqualTo("3");
        refused(Errno.EINVAL, () -> read("carrier"));
    }

    @Test
    @Covers("NDEV-24")
    void someMayBeWritten() {
        namespace.register(device);
        write("mtu", "1400\n");
        assertThat(device.mtu()).isEqualTo(1400);
        write("ifalias", "to the cellar");
        assertThat(read("ifalias")).isEqualTo("to the cellar");
        write("netdev_group", "0x10");
        assertThat(device.node().group()).isEqualTo(16);
        write("tx_queue_len", "500");
        assertThat(device.transmitQueues().length()).isEqualTo(500);
        refused(Errno.EINVAL, () -> write("mtu", "67"));
        refused(Errno.EINVAL, () -> write("mtu", "many"));
        refused(Errno.EACCES, () -> write("ifindex", "9"));
        refused(Errno.ENOENT, () -> write("colour", "red"));
    }

    @Test
    void foldersAreListed() {
        namespace.register(device);
        assertThat(tree.list("/sys/class/net")).containsExactly("eth0", "lo");
        assertThat(tree.list("/sys/class/net/eth0/queues")).containsExactly("rx-0", "tx-0");
        assertThat(tree.list("/sys/class/net/eth0"))
                .contains("mtu", "statistics")
                .doesNotContain("rx_packets", "");
        assertThat(tree.list("/sys/class/net/eth0/statistics")).contains("rx_packets", "tx_bytes");
        refused(Errno.ENOENT, () -> tree.list("/sys/class/net/eth9"));
        refused(Errno.ENOENT, () -> tree.list("/sys/class/net/eth0/colours"));
        refused(Errno.ENOENT, () -> tree.read("/sys/class/net"));
    }

    @Test
    @Covers({"NDEV-21", "NDEV-22"})
    void aDeviceHangsFromItsParentAndNamesItsType() {
        device.node().type("bridge");
        namespace.register(device);
        assertThat(read("uevent")).isEqualTo("DEVTYPE=bridge\nINTERFACE=eth0\nIFINDEX=2");
        assertThat(tree.read("/sys/class/net/lo/uevent")).doesNotContain("DEVTYPE");
        assertThat(tree.read("/sys/devices/virtual/net/eth0/ifindex")).isEqualTo("2");
        NetDevice card = StubDriver.device("wan");
        card.node().parent("pci0000:00/0000:00:03.0");
        namespace.register(card);
        assertThat(tree.read("/sys/devices/pci0000:00/0000:00:03.0/net/wan/ifindex"))
                .isEqualTo("3");
        refused(Errno.ENOENT, () -> tree.read("/sys/devices/virtual/net/wan/ifindex"));
        refused(Errno.EBUSY, () -> card.node().type("late"));
    }

    @Test
    @Covers("NDEV-23")
    void aDriverShowsFourGroupsOfItsOwn() {
        for (int i = 0; i < 4; i++) {
            String value = "value " + i;
            device.node()
                    .addGroup(new AttributeGroup(
                            "group" + i, Map.of("attribute", DeviceAttribute.readOnly(() -> value))));
        }
        namespace.register(device);
        for (int i = 0; i < 4; i++) {
            assertThat(read("group" + i + "/attribute")).isEqualTo("value " + i);
        }
    }

    @Test
    @Covers("NDEV-188")
    void aDeviceWithoutSettingsOfItsLinkHasNoSpeed() {
        namespace.register(device);
        refused(Errno.EOPNOTSUPP, () -> read("speed"));
    }

    @Test
    @Covers("NDEV-184")
    void noDeviceHasAWirelessPart() {
        namespace.register(device);
        assertThat(tree.list("/sys/class/net/eth0")).doesNotContain("wireless", "phy80211");
        refused(Errno.ENOENT, () -> tree.list("/sys/class/net/eth0/wireless"));
    }

    @Test
    void aNamespaceShowsItsOwnDevicesOnly() {
        namespace.register(device);
        NetNamespace other = host.createNamespace();
        refused(Errno.ENOENT, () -> other.attributes().read("/sys/class/net/eth0/mtu"));
        other.move(device, null);
        assertThat(other.attributes().read("/sys/class/net/eth0/mtu")).isEqualTo("1500");
        refused(Errno.ENOENT, () -> read("mtu"));
    }
}
