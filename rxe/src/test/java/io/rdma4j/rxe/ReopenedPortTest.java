// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.links.VethDevice;
import io.rdma4j.net.NetDevice;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A device whose last context was closed leaves its interface, so that it can be opened again. */
class ReopenedPortTest {
    private record One(RxeDevice device) implements Provider {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of(device);
        }
    }

    @Test
    void aClosedPortLeavesTheLoopOfItsInterface() {
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth0", 7, 1500, 0, List.of(Gid.parse("10.0.0.1"))),
                VethDevice.end("veth1", 8, 1500, 0, List.of(Gid.parse("10.0.0.2"))));
        NetDevice link = pair.first();
        link.up();
        try (Host host = Host.create("test")) {
            host.register(new One(
                    new RxeDevice("rxe0", Guid.ofMac(link.macAddress()), () -> new RxePort(link, RxeOptions.DEFAULT))));
            for (int i = 0; i < 2; i++) {
                try (Context context = host.device("rxe0").open()) {
                    assertThat(context.queryGid(1, 0)).isEqualTo(Gid.parse("10.0.0.1"));
                }
            }
        }
    }
}
