// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.rdma;

import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.Resource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The RDMA devices of a machine, all of them in its initial namespace. */
record MachineRdma(Machine machine) implements RdmaSystem {
    @Override
    public List<Device> devices() {
        return machine.rdma().devices();
    }

    @Override
    public @Nullable Netdev netdev(Device device) {
        NetDevice below = machine.below(device);
        return below == null ? null : new Netdev(below.name(), below.ifindex());
    }

    @Override
    public List<Resource> resources(Device device) {
        return device.resources();
    }

    @Override
    public void addLink(String name, String type, String netdev) {
        machine.rdma().newLink(name, type, netdev);
    }

    @Override
    public void deleteLink(String name) {
        machine.rdma().deleteLink(name);
    }
}
