// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.rdma;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.Resource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The RDMA devices that {@code rdma} shows and changes: those of a machine, or those of this user's processes. One
 * thread.
 */
public interface RdmaSystem {
    /**
     * A network interface below a device.
     *
     * @param name name of the interface
     * @param index index of the interface
     */
    record Netdev(String name, int index) {}

    /** {@return the current devices} */
    List<Device> devices();

    /**
     * {@return the network interface below a device; null if it was removed}
     *
     * @param device one of {@link #devices}
     */
    @Nullable
    Netdev netdev(Device device);

    /**
     * {@return the live objects of a device, of all processes}
     *
     * @param device one of {@link #devices}
     */
    List<Resource> resources(Device device);

    /**
     * Creates a device over a network interface ({@code rdma link add}).
     *
     * @param name name of the device
     * @param type type of the device, such as {@code rxe}
     * @param netdev name of the interface
     * @throws RdmaException EEXIST, ENODEV, EINVAL or EADDRINUSE if it cannot be created
     */
    void addLink(String name, String type, String netdev);

    /**
     * Deletes a device ({@code rdma link delete}).
     *
     * @param name name of the device
     * @throws RdmaException ENODEV if it does not exist, EBUSY if a program has it open
     */
    void deleteLink(String name);
}
