// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.DeviceModification;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.values.Resource;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The provider's part of a device that need not be open ({@code struct verbs_device}). */
public interface DeviceOps {
    /** {@code RDMA_DRIVER_RXE}. */
    int DRIVER_RXE = 14;

    /** {@return unique within the host, such as {@code rxe_0}} */
    String name();

    /** {@return the kind of node, which determines the transport of the device} */
    default NodeType nodeType() {
        return NodeType.CA;
    }

    /**
     * {@return the driver that the device needs in another process: a number of {@code enum rdma_driver_id}, such as
     * {@link #DRIVER_RXE}; 0 if the device cannot be served to other processes}
     */
    default int driverId() {
        return 0;
    }

    /** {@return EUI-64 of the device} */
    long nodeGuid();

    /** {@return a short description of the device, at most 64 bytes; by default its name} */
    default String nodeDescription() {
        return name();
    }

    /**
     * {@return the UDP addresses of the open device, in the order of its GID table; empty if it has none, or if they
     * are unknown before it is open} A device that takes a free loopback address at each opening returns the first one
     * that it would take. Called at each listing, so it must be cheap.
     */
    default List<InetSocketAddress> endpoints() {
        return List.of();
    }

    /**
     * {@return true if only one process of the machine at a time can open it} Then the process that has it open serves
     * it to the others ({@link io.rdma4j.verbs.DeviceServer}), which connect to that process.
     */
    default boolean isExclusive() {
        return false;
    }

    /**
     * Opens the device ({@code alloc_context}). Contexts are independent of each other.
     *
     * @param events callbacks for events of the device and its ports
     * @return the provider's part of a context
     * @throws RdmaException if the device cannot be opened; the message says what the user can do
     */
    ContextOps open(ContextEvents events);

    /** Called once when the device is neither listed nor open any more ({@code uninit_device}). */
    default void dispose() {}

    /**
     * Changes attributes of the device ({@code modify_device}).
     *
     * @param change absent attributes keep their value
     * @throws RdmaException EOPNOTSUPP if the device cannot make the change; nothing has changed then
     */
    default void modify(DeviceModification change) {
        throw new RdmaException(Errno.EOPNOTSUPP, name() + " cannot be modified");
    }

    /**
     * {@return the objects of all processes in a device that another process serves; null for a device of this process,
     * whose objects the core has in its register}
     *
     * @throws RdmaException ECONNREFUSED, EIO if the serving process has ended
     */
    default @Nullable List<Resource> resourcesOfAllProcesses() {
        return null;
    }

    /**
     * Deletes the device ({@code rdma_link_ops.dellink}): it is not discovered any more. Posted requests of its
     * contexts are flushed; the contexts are closed later.
     *
     * @throws RdmaException EOPNOTSUPP if devices of this kind cannot be deleted
     */
    default void remove() {
        throw new RdmaException(Errno.EOPNOTSUPP, name() + " cannot be deleted");
    }
}
