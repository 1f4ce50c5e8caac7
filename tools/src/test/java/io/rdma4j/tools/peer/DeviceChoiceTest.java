package io.rdma4j.tools.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
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
