// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;

/** A provider of one device that the test has created. */
record OneDevice(RxeDevice device) implements Provider {
    /** A host that has only this device. */
    static Host host(RxeDevice device) {
        Host host = Host.create("test");
        host.register(new OneDevice(device));
        return host;
    }

    @Override
    public String name() {
        return "one";
    }

    @Override
    public Collection<? extends DeviceOps> discover() {
        return List.of(device);
    }
}
