// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.DeviceMatch;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import java.util.ArrayList;
import java.util.List;

/** Creates a loop device for every matching device that discovery finds. */
public final class LoopDriver implements Driver {
    private final String name;
    private final List<DeviceMatch> matches;
    private final List<FoundDevice> taken = new ArrayList<>();
    private final List<LoopDevice> devices = new ArrayList<>();
    private boolean refusing;

    public LoopDriver(String name, DeviceMatch... matches) {
        this.name = name;
        this.matches = List.of(matches);
    }

    /** The devices that discovery has passed so far. */
    public List<FoundDevice> taken() {
        return taken;
    }

    /** The loop devices created for them. */
    public List<LoopDevice> devices() {
        return devices;
    }

    /** Makes the driver return no more devices. */
    public void refuse() {
        refusing = true;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int minAbiVersion() {
        return 1;
    }

    @Override
    public int maxAbiVersion() {
        return 2;
    }

    @Override
    public List<DeviceMatch> matchTable() {
        return matches;
    }

    @Override
    public DeviceOps allocateDevice(FoundDevice found) {
        taken.add(found);
        if (refusing) {
            return null;
        }
        LoopDevice device = new LoopDevice(found.name());
        devices.add(device);
        return device;
    }
}
