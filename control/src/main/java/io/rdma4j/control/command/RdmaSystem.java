package io.rdma4j.control.command;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Resource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The RDMA devices that {@code rdma} shows and changes: those of a machine of the shell, or of this user's processes. One thread. */
public interface RdmaSystem {
    /**
     * A network interface below a device.
     *
     * @param name of it
     * @param index its number
     */
    record Netdev(String name, int index) {}

    /** {@return the devices that are there now} */
    List<Device> devices();

    /**
     * {@return the network interface below a device; null if it is gone}
     *
     * @param device one of {@link #devices}
     */
    @Nullable
    Netdev netdev(Device device);

    /**
     * {@return the live objects of a device, whatever process has made them}
     *
     * @param device one of {@link #devices}
     */
    List<Resource> resources(Device device);

    /**
     * Makes a device over a network interface ({@code rdma link add}).
     *
     * @param name of the device
     * @param type of the device, such as {@code rxe}
     * @param netdev name of the interface
     * @throws RdmaException EEXIST, ENODEV, EINVAL, EADDRINUSE: why there is none
     */
    void addLink(String name, String type, String netdev);

    /**
     * Takes a device away ({@code rdma link delete}).
     *
     * @param name of the device
     * @throws RdmaException ENODEV if there is none, EBUSY if it belongs to a program
     */
    void deleteLink(String name);
}
