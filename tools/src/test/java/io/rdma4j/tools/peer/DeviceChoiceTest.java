// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class DeviceChoiceTest {
    @Test
    @Covers("TOOL-4")
    void theFirstDeviceIsTheDefault() throws ToolFailure {
        assertThat(DeviceChoice.find(Rdma::host, null)).isSameAs(Rdma.devices().getFirst());
    }

    @Test
    @Covers("TOOL-4")
    void aDeviceIsFoundByName() throws ToolFailure {
        assertThat(DeviceChoice.find(Rdma::host, "rxe_lo").name()).isEqualTo("rxe_lo");
        assertThatThrownBy(() -> DeviceChoice.find(Rdma::host, "mlx5_0")).hasMessage("IB device mlx5_0 not found");
    }

    private static DeviceChoice choice(int gidIndex, String... devices) {
        Host host = Host.create("choice");
        host.register(new RxeProvider(DeviceSpec.parseList(String.join(",", devices)), RxeOptions.DEFAULT));
        return new DeviceChoice(() -> host, null, gidIndex);
    }

    @Test
    void theClientTakesTheDeviceOfTheRouteAndTheSlotOfItsAddress() throws ToolFailure {
        DeviceChoice choice = choice(-1, "far=udp:192.0.2.1", "near=udp:[::1]", "lo=udp:lo");
        assertThat(choice.to("127.0.0.1", 1).device().name()).isEqualTo("lo");
        assertThat(choice.to("::1", 1).device().name()).isEqualTo("near");
        DeviceChoice dual = choice(-1, "far=udp:192.0.2.1", "tap=tap:tap0,10.9.0.1/24,127.0.0.1/8");
        assertThat(dual.to("127.0.0.1", 1).device().name()).isEqualTo("tap");
        assertThat(dual.to("127.0.0.1", 1).gidIndex()).isEqualTo(1);
    }

    @Test
    void aServerWithSeveralDevicesLeavesTheChoiceToTheConnection() throws Exception {
        DeviceChoice choice = choice(-1, "far=udp:192.0.2.1", "lo=udp:127.0.0.1");
        assertThat(choice.beforePeer()).isEmpty();
        try (ServerSocket server = new ServerSocket(0);
                Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            assertThat(client.isConnected()).isTrue();
            assertThat(choice.at(accepted.getLocalAddress()).device().name()).isEqualTo("lo");
        }
    }

    @Test
    void aGidIndexMeansTheFirstDeviceThatHasTheSlot() throws ToolFailure {
        DeviceChoice choice =
                choice(2, "lo=udp:lo", "tap=tap:tap0,10.9.0.1/24,fd09::1/64,fe80::1/64", "two=udp:127.0.0.2");
        assertThat(choice.to("127.0.0.1", 1).device().name()).isEqualTo("tap");
        assertThat(choice.beforePeer())
                .hasValueSatisfying(found -> assertThat(found.device().name()).isEqualTo("tap"));
    }

    @Test
    void theOnlyDeviceIsTakenWithoutAPeer() throws ToolFailure {
        assertThat(choice(-1, "only=udp:192.0.2.1").beforePeer()).isPresent();
    }

    @Test
    void withoutAnyDeviceThereIsNoDefault() {
        assertThatThrownBy(() -> DeviceChoice.find(() -> Host.create("empty"), null))
                .isInstanceOf(ToolFailure.class)
                .hasMessage("No IB devices found");
    }

    @Test
    void aSpecificationMakesADeviceOnAHostOfItsOwn() throws ToolFailure {
        Device device = DeviceChoice.find(Rdma::host, "rxe_lo=udp:127.0.0.77:4999");
        assertThat(device.name()).isEqualTo("rxe_lo");
        assertThat(device.host()).isNotSameAs(Rdma.host());
        assertThatThrownBy(() -> DeviceChoice.find(Rdma::host, "rxe0=tcp:127.0.0.1"))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("rxe0=udp:127.0.0.2");
    }
}
