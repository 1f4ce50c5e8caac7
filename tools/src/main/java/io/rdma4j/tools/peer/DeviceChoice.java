// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds or creates the device of a tool. With {@code -d} it is the named device. Otherwise the client takes the device
 * whose interface has the route to the server. The server takes the device that received the client's connection. If a
 * GID table slot is given and that device has no such slot, it is the first device that has it.
 */
public final class DeviceChoice {
    private final Supplier<Host> host;
    private final @Nullable String wanted;
    private final int gidIndex;

    /**
     * Creates a choice among the devices of a host.
     *
     * @param host with named devices
     * @param wanted name of a device; or a {@link DeviceSpec} of a new device, which is then the only device of a host
     *     that exists as long as the process; null: the connection to the peer determines the device
     * @param gidIndex slot of the GID table that the device must have; negative for any
     */
    public DeviceChoice(Supplier<Host> host, @Nullable String wanted, int gidIndex) {
        this.host = host;
        this.wanted = wanted;
        this.gidIndex = gidIndex;
    }

    /**
     * A device, and the slot of its GID table for the peer.
     *
     * @param device to be opened
     * @param gidIndex slot of the address that the route to the peer uses; 0 if that address has no slot
     */
    public record Choice(Device device, int gidIndex) {}

    /**
     * Returns the device that the user names, or the default device if no name and no peer is given.
     *
     * @param wanted as in the constructor; null for the first device
     */
    public static Device find(Supplier<Host> host, @Nullable String wanted) throws ToolFailure {
        return new DeviceChoice(host, wanted, -1).first().device();
    }

    private Choice first() throws ToolFailure {
        if (wanted != null && wanted.contains("=")) {
            return new Choice(make(DeviceSpec.parse(wanted)), 0);
        }
        for (Device device : host.get().devices()) {
            if (wanted == null ? hasSlot(device) : device.name().equals(wanted)) {
                return new Choice(device, 0);
            }
        }
        if (wanted != null) {
            throw new ToolFailure("IB device " + wanted + " not found");
        }
        List<Device> devices = host.get().devices();
        if (devices.isEmpty()) {
            throw new ToolFailure("No IB devices found");
        }
        // The device reports its slots when the tool queries this one.
        return new Choice(devices.getFirst(), 0);
    }

    /** Returns the device if it does not depend on the peer; otherwise empty. */
    public Optional<Choice> beforePeer() throws ToolFailure {
        if (wanted == null) {
            List<Device> able =
                    host.get().devices().stream().filter(this::hasSlot).toList();
            if (able.size() > 1
                    && able.stream().anyMatch(device -> !device.addresses().isEmpty())) {
                return Optional.empty();
            }
        }
        return Optional.of(first());
    }

    /**
     * Returns the client's device.
     *
     * @param server name or address of the server, as the user typed it
     * @param port TCP port of the server, for messages
     */
    public Choice to(String server, int port) throws ToolFailure {
        Optional<Choice> given = beforePeer();
        if (given.isPresent()) {
            return given.get();
        }
        try {
            return byAddress(host.get().sourceAddressTo(Rendezvous.resolve(server, port)[0]));
        } catch (RdmaException _) {
            // Without a route the TCP connection fails as well, with a better message.
            return first();
        }
    }

    /**
     * Returns the server's device.
     *
     * @param local own address of the connection to the client
     */
    public Choice at(InetAddress local) throws ToolFailure {
        return byAddress(local);
    }

    private Choice byAddress(InetAddress local) throws ToolFailure {
        Device device;
        try {
            device = host.get().deviceAt(local);
        } catch (RdmaException _) {
            // A device with its own addresses may reach a peer that Linux reaches through another interface.
            return first();
        }
        return hasSlot(device)
                ? new Choice(device, Math.max(0, device.addresses().indexOf(local)))
                : first();
    }

    /** True if the device has the slot, or may have it: some devices have no addresses before they are open. */
    private boolean hasSlot(Device device) {
        int slots = device.addresses().size();
        return slots == 0 || gidIndex < slots;
    }

    private static Device make(DeviceSpec spec) {
        Host host = Host.create("tool");
        host.register(new RxeProvider(List.of(spec), RxeOptions.DEFAULT));
        return host.device(spec.name());
    }
}
