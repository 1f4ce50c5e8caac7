// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Host;
import java.net.InetAddress;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Lookup of devices by address, and by the route to a peer. */
class DeviceRouteTest {
    @AutoClose
    private final Host host = Host.create("routes");

    DeviceRouteTest() {
        host.register(new RxeProvider(
                DeviceSpec.parseList("far=udp:192.0.2.1,near=udp:127.0.0.9,lo=udp:lo"), RxeOptions.DEFAULT));
    }

    private String at(String address) {
        return host.deviceAt(InetAddress.ofLiteral(address)).name();
    }

    @Test
    void aDeviceTellsItsAddressesBeforeItIsOpen() {
        assertThat(host.device("far").addresses()).containsExactly(InetAddress.ofLiteral("192.0.2.1"));
        assertThat(host.device("lo").addresses()).containsExactly(InetAddress.ofLiteral("127.0.0.1"));
    }

    @Test
    void aDeviceIsFoundByItsAddressAndForOtherLoopbackAddressesAnyLoopbackDeviceWillDo() {
        assertThat(at("192.0.2.1")).isEqualTo("far");
        assertThat(at("127.0.0.1")).isEqualTo("lo");
        assertThat(at("127.0.0.9")).isEqualTo("near");
        assertThat(at("::1")).isEqualTo("near");
    }

    @Test
    void theDeviceToAPeerHasTheAddressThatTheSystemSendsFrom() {
        assertThat(host.deviceTo(InetAddress.ofLiteral("127.0.0.1")).name()).isEqualTo("lo");
        assertThat(host.sourceAddressTo(InetAddress.ofLiteral("127.0.0.1")))
                .isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
    }

    @Test
    void anAddressThatNoDeviceHasIsRefusedWithThoseThereAre() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> at("192.0.2.77"))
                .withMessageContaining("192.0.2.77")
                .withMessageContaining("far [192.0.2.1]")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }
}
