// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.AttributeGroup;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.DeviceNode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.testing.ledger.Covers;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceNodeTest {
    private final NetDevice device = StubDriver.device("eth0");
    private final DeviceNode node = device.node();

    @AfterEach
    void close() {
        device.unregister();
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers({"NDEV-19", "NDEV-20"})
    void aDeviceHasANodeThatKnowsItsDevice() {
        assertThat(node.netDevice()).isSameAs(device);
        assertThat(device.node()).isSameAs(node);
    }

    @Test
    @Covers("NDEV-21")
    void theParentIsSetBeforeRegistrationAndAVirtualDeviceHasNone() {
        assertThat(node.parent()).isNull();
        assertThat(node.path()).isEqualTo("/sys/devices/virtual/net/eth0");
        node.parent("pci0000:00/0000:00:03.0");
        assertThat(node.path()).isEqualTo("/sys/devices/pci0000:00/0000:00:03.0/net/eth0");
        NetHost.standalone(device);
        refused(Errno.EBUSY, () -> node.parent("usb1"));
    }

    @Test
    @Covers({"NDEV-13", "NDEV-14"})
    void anAliasIsAnyTextOfLimitedLength() {
        assertThat(node.alias()).isEmpty();
        node.alias("to the cellar, port 7");
        assertThat(node.alias()).isEqualTo("to the cellar, port 7");
        node.alias("x".repeat(255));
        assertThat(node.alias()).hasSize(255);
        refused(Errno.EINVAL, () -> node.alias("x".repeat(257)));
        refused(Errno.EINVAL, () -> node.alias("ü".repeat(128)));
        assertThat(node.alias()).hasSize(255);
    }

    @Test
    @Covers({"NDEV-17", "NDEV-18"})
    void devicesAreGroupedByANumber() {
        NetHost host = NetNamespace.of(NetHost.standalone(device)).host();
        assertThat(node.group()).isZero();
        node.group(42);
        assertThat(node.group()).isEqualTo(42);
        assertThat(host.devices().stream().filter(one -> one.node().group() == 42))
                .containsExactly(device);
    }

    @Test
    void aDriverShowsFourGroupsOfAttributes() {
        AttributeGroup group = new AttributeGroup("", Map.of("a", DeviceAttribute.readOnly(() -> "1")));
        for (int i = 0; i < 4; i++) {
            node.addGroup(group);
        }
        refused(Errno.ENOSPC, () -> node.addGroup(group));
        assertThat(node.groups()).hasSize(4);
        NetHost.standalone(device);
        refused(Errno.EBUSY, () -> node.addGroup(group));
    }
}
