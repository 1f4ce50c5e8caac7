// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A provider of loop devices whose names the test sets. */
public final class LoopProvider implements Provider {
    private final List<LoopDevice> devices = new ArrayList<>();
    private final String kind;
    private boolean closed;

    public LoopProvider(String... names) {
        this("loop", List.of(names));
    }

    /** @param kind name of the provider */
    public LoopProvider(String kind, List<String> names) {
        this.kind = kind;
        for (String name : names) {
            add(name);
        }
    }

    public LoopDevice add(String name) {
        LoopDevice device = new LoopDevice(name);
        devices.add(device);
        return device;
    }

    public void remove(LoopDevice device) {
        devices.remove(device);
    }

    public LoopDevice device(int index) {
        return devices.get(index);
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public String name() {
        return kind;
    }

    @Override
    public Collection<? extends DeviceOps> discover() {
        devices.removeIf(LoopDevice::isRemoved);
        return List.copyOf(devices);
    }

    /** Supports only the interface {@code up0}. */
    @Override
    public void newLink(String name, String netdev) {
        if (!netdev.equals("up0")) {
            throw new RdmaException(Errno.ENODEV, netdev);
        }
        add(name);
    }

    @Override
    public void close() {
        closed = true;
    }
}
