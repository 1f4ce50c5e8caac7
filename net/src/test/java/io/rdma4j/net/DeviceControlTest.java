// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeviceControlTest {
    private static final long OWN = 0x52_5400_770001L;

    private final ControlledDriver driver = new ControlledDriver();
    private final NetDevice device = device(driver);
    private final NetDevice plain = device(new RecordingDriver());

    private static NetDevice device(NetDeviceOps ops) {
        return NetHost.standalone(
                new NetDevice(new NetDeviceSetup(LinkType.ETHERNET, "eth0", 3, 9000, OWN, List.of(), Set.of()), ops));
    }

    @BeforeEach
    void forgetTheBeginning() {
        driver.calls.clear();
    }

    @AfterEach
    void close() {
        device.unregister();
        plain.unregister();
    }

    @Test
    @Covers({"NDEV-109", "NDEV-111"})
    void theDriverIsAskedAboutAnAddressAndToldOfIt() {
        device.up();
        assertThat(driver.calls).containsExactly("validate", "open", "rx mode");
        driver.calls.clear();
        device.setMacAddress(OWN + 1);
        assertThat(driver.calls).containsExactly("validate", "mac from 525400770001");
        assertThat(device.macAddress()).isEqualTo(OWN + 1);
        driver.refused.add("validate");
        refused(Errno.EIO, () -> device.setMacAddress(OWN + 2));
        assertThat(device.macAddress()).isEqualTo(OWN + 1);
        device.down();
        refused(Errno.EIO, device::up);
    }

    @Test
    @Covers({"NDEV-116", "NDEV-153"})
    void theMtuChangesThroughTheDriver() {
        device.setMtu(4000);
        assertThat(driver.calls).containsExactly("mtu 4000");
        device.setMtu(4000);
        assertThat(driver.calls).hasSize(1);
        driver.refused.add("mtu 2000");
        refused(Errno.EIO, () -> device.setMtu(2000));
        assertThat(device.mtu()).isEqualTo(4000);
        refused(Errno.EINVAL, () -> device.setMtu(67));
        assertThat(driver.calls).as("nobody is asked for less than 68").hasSize(2);
        device.setMtu(68);
        assertThat(device.mtu()).isEqualTo(68);
    }

    @Test
    @Covers({"NDEV-117", "NDEV-152"})
    void anEthernetDriverCarriesJumboFramesOnlyIfItSaysSo() {
        refused(Errno.EINVAL, () -> plain.setMtu(1501));
        plain.setMtu(1500);
        assertThat(plain.mtu()).isEqualTo(1500);
        refused(Errno.EINVAL, () -> EthernetDevices.changeMtu(plain, 67));
        device.setMtu(8000);
        device.setMtu(9000);
        assertThat(device.mtu()).isEqualTo(9000);
    }

    @Test
    @Covers("NDEV-118")
    void aDriverHasCommandsOfItsOwn() {
        assertThat(device.driver().command("blink", "3 s")).isEqualTo("eth0 blinks for 3 s");
        refused(Errno.EOPNOTSUPP, () -> device.driver().command("sing", ""));
        refused(Errno.EOPNOTSUPP, () -> plain.driver().command("blink", "3 s"));
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
