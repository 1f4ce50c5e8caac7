// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;

/** Gives a host the devices of a fabric that belong to it. */
public final class IbProvider implements Provider {
    private final List<IbDevice> devices;

    /**
     * Creates a provider.
     *
     * @param devices of the host
     */
    public IbProvider(Collection<IbDevice> devices) {
        this.devices = List.copyOf(devices);
    }

    @Override
    public String name() {
        return "ib";
    }

    @Override
    public Collection<? extends DeviceOps> discover() {
        return devices;
    }
}
