// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Provides the RDMA devices of one machine, each over a network device of its initial namespace. An RDMA device is
 * removed when its network device is unregistered. Any thread may call.
 */
final class MachineDevices implements Provider {
    private final Machine machine;
    private final RxeOptions options;
    private final Map<NetDevice, RxeDevice> devices = new LinkedHashMap<>();

    MachineDevices(Machine machine, RxeOptions options) {
        this.machine = machine;
        this.options = options;
    }

    @Override
    public String name() {
        return "rxe";
    }

    @Override
    public synchronized Collection<? extends DeviceOps> discover() {
        devices.values().removeIf(RxeDevice::isRemoved);
        return List.copyOf(devices.values());
    }

    @Override
    public synchronized void newLink(String name, String netdev) {
        NetDevice device = machine.net().initial().find(netdev);
        if (device == null) {
            throw new RdmaException(Errno.ENODEV, "there is no network device \"" + netdev + "\" on " + machine);
        }
        if (device.flags().has(PrivateFlag.VLAN_802_1Q)) {
            throw new RdmaException(
                    Errno.EPERM, netdev + " is a VLAN: devices are made over real interfaces only, as in Linux");
        }
        RxeDevice there = devices.get(device);
        if (there != null && !there.isRemoved()) {
            throw new RdmaException(Errno.EEXIST, netdev + " carries the device " + there.name() + " already");
        }
        machine.rxeModule().load();
        long guid = Guid.ofMac(device.macAddress());
        devices.put(device, new RxeDevice(name, guid, () -> new RxePort(machine.site(device), options)));
    }

    /** The network device below the RDMA device of this name; null if there is none. */
    synchronized @Nullable NetDevice below(String name) {
        Map.Entry<NetDevice, RxeDevice> found = find(name);
        return found == null ? null : found.getKey();
    }

    /** The port of the RDMA device of this name; null if there is none or no context has it open. */
    synchronized @Nullable RxePort port(String name) {
        Map.Entry<NetDevice, RxeDevice> found = find(name);
        return found == null ? null : found.getValue().port();
    }

    private Map.@Nullable Entry<NetDevice, RxeDevice> find(String name) {
        for (Map.Entry<NetDevice, RxeDevice> entry : devices.entrySet()) {
            if (entry.getValue().name().equals(name) && !entry.getValue().isRemoved()) {
                return entry;
            }
        }
        return null;
    }

    /** Removes the RDMA device over an unregistered network device; its contexts get an event. */
    void gone(NetDevice device) {
        RxeDevice carried;
        synchronized (this) {
            carried = devices.get(device);
        }
        if (carried != null && !carried.isRemoved()) {
            carried.remove();
            machine.rdma().devices();
        }
    }

    /** Drops the devices without events, because the machine has no open context any more. */
    @Override
    public synchronized void close() {
        devices.clear();
    }
}
