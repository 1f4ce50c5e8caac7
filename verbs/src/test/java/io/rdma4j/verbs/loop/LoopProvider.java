package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Has the devices that a test gives it. */
public final class LoopProvider implements Provider {
    private final List<LoopDevice> devices = new ArrayList<>();
    private boolean closed;

    public LoopProvider(String... names) {
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
        return "loop";
    }

    @Override
    public Collection<? extends DeviceOps> discover(Host host) {
        return List.copyOf(devices);
    }

    @Override
    public void close() {
        closed = true;
    }
}
