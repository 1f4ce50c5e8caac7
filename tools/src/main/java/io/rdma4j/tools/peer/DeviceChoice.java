package io.rdma4j.tools.peer;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the device that a tool uses, or makes it. With {@code -d} that is the named one. Without it, the client takes the device
 * whose interface has the route to the server, and the server the one that the client's connection came in on. Where a slot of
 * the GID table is given and that device has no such slot, it is the first device that has it.
 */
public final class DeviceChoice {
    private final Supplier<Host> host;
    private final @Nullable String wanted;
    private final int gidIndex;

    /**
     * A choice among the devices of a host.
     *
     * @param host whose devices have names
     * @param wanted the name of a device; or what one is to be made of, in the form of {@link DeviceSpec}, which then is
     *     the only device of a host that lives as long as the process; null if the peer decides
     * @param gidIndex slot of the GID table that the device must have; negative for any
     */
    public DeviceChoice(Supplier<Host> host, @Nullable String wanted, int gidIndex) {
        this.host = host;
        this.wanted = wanted;
        this.gidIndex = gidIndex;
    }

    /**
     * A device, and the slot of its GID table that fits the peer.
     *
     * @param device to be opened
     * @param gidIndex slot of the address that the route to the peer uses; 0 if it has no slot of its own
     */
    public record Choice(Device device, int gidIndex) {}

    /**
     * The device that the user names, or that is used if the user names none and there is no peer to decide.
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
        // It says which slots it has when it is asked for this one.
        return new Choice(devices.getFirst(), 0);
    }

    /** The device that is used whoever the peer is; empty if the connection of a client decides. */
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
     * The client's device.
     *
     * @param server name or address of the server, as the user has typed it
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
            // Without a route there is no connection either, and that message says more.
            return first();
        }
    }

    /**
     * The server's device.
     *
     * @param client the connection of the client
     */
    public Choice at(Socket client) throws ToolFailure {
        return byAddress(client.getLocalAddress());
    }

    private Choice byAddress(InetAddress local) throws ToolFailure {
        Device device;
        try {
            device = host.get().deviceAt(local);
        } catch (RdmaException _) {
            // Devices with addresses of their own may reach a peer that Linux reaches through another interface.
            return first();
        }
        return hasSlot(device)
                ? new Choice(device, Math.max(0, device.addresses().indexOf(local)))
                : first();
    }

    /** Of devices that do not know their addresses before they are open, this cannot be said. */
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
