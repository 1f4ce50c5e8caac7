// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Client;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A client of the host's devices is notified of an existing device, of one that is created later, and of one that is
 * deleted.
 */
class DeviceClientTest {
    private static final int PRESENT = 34;

    private final Host host = Host.create("test");
    private final List<String> heard = new ArrayList<>();

    DeviceClientTest() {
        host.register(new RxeProvider(List.of(TestAddresses.device(PRESENT)), RxeOptions.DEFAULT));
    }

    @AfterEach
    void close() {
        host.close();
    }

    /** Keeps a context of the first device that is added and its number of ports; of other devices only the name. */
    private final class Ulp implements Client, AutoCloseable {
        Ulp() {
            host.registerClient(this);
        }

        @Override
        public String name() {
            return "ulp";
        }

        @Override
        public void add(Device device) {
            if (heard.isEmpty()) {
                Context context = device.open();
                device.setClientData(this, context);
                int ports = context.queryDevice().physicalPortCount();
                heard.add("+" + device + " " + context.queryPort(ports).state());
            } else {
                device.setClientData(this, device.name());
                heard.add("+" + device);
            }
        }

        @Override
        public void remove(Device device, @Nullable Object data) {
            heard.add("-" + device);
            if (data instanceof Context context) {
                context.close();
            }
        }

        @Override
        public void close() {
            host.unregisterClient(this);
        }
    }

    @Test
    @Covers({"DEV-1", "DEV-2", "DEV-3", "DEV-4", "DEV-5", "DEV-6", "DEV-7", "DEV-8", "DEV-63"})
    void aClientKeepsAContextForEachDeviceThatIsThere() {
        String present = host.devices().getFirst().name();
        try (Ulp ulp = new Ulp()) {
            assertThat(heard).containsExactly("+" + present + " " + PortState.ACTIVE);
            Context kept = (Context) Objects.requireNonNull(host.device(present).clientData(ulp));
            assertThat(kept.device().name()).isEqualTo(present);

            host.deleteLink(present);
            assertThat(heard).last().isEqualTo("-" + present);
            Device later = host.newLink("later", "rxe", "lo");
            assertThat(heard).last().isEqualTo("+later");
            assertThat(later.clientData(ulp)).isEqualTo("later");
        }
        assertThat(heard).last().isEqualTo("-later");
        host.deleteLink("later");
        assertThat(heard).hasSize(4);
    }
}
