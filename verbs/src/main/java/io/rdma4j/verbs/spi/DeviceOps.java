package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.DeviceModification;
import io.rdma4j.verbs.NodeType;
import io.rdma4j.verbs.Resource;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device as its provider sees it; not opened yet ({@code struct verbs_device}). */
public interface DeviceOps {
    /** {@code RDMA_DRIVER_RXE}. */
    int DRIVER_RXE = 14;

    /** {@return unique within the host, such as {@code rxe_0}} */
    String name();

    /** {@return the kind of node; it says which transport the device speaks} */
    default NodeType nodeType() {
        return NodeType.CA;
    }

    /**
     * {@return which driver the device needs in another process: a number of {@code enum rdma_driver_id}, such as
     * {@link #DRIVER_RXE}; 0 if it cannot be served to others}
     */
    default int driverId() {
        return 0;
    }

    /** {@return EUI-64 of the device} */
    long nodeGuid();

    /** {@return what the device says of itself in a few words, 64 bytes at most; its name unless it knows better} */
    default String nodeDescription() {
        return name();
    }

    /**
     * {@return the UDP addresses that it has when it is open, in the order of its GID table; empty if it has none, or does not know
     * them before it is open} A device that takes a free loopback address at each opening answers the first one that it would take.
     * Called at each listing, so it must be cheap.
     */
    default List<InetSocketAddress> endpoints() {
        return List.of();
    }

    /**
     * {@return true if one process of the machine at a time can have it open} Then the process that has it open serves it to the
     * others ({@link DeviceServer}), which reach it there.
     */
    default boolean isExclusive() {
        return false;
    }

    /**
     * Opens it ({@code alloc_context}). Contexts are independent of one another.
     *
     * @param events where events of the device and its ports are to be told
     * @return what the core makes a context of
     * @throws RdmaException whatever keeps it from opening, with a message that says how to go on
     */
    ContextOps open(ContextEvents events);

    /** It is neither listed any more nor open ({@code uninit_device}); called once. */
    default void dispose() {}

    /**
     * Changes what the device says of itself ({@code modify_device}).
     *
     * @param change what is absent stays
     * @throws RdmaException EOPNOTSUPP if it cannot change what is asked; nothing is changed then
     */
    default void modify(DeviceModification change) {
        throw new RdmaException(Errno.EOPNOTSUPP, name() + " cannot be modified");
    }

    /**
     * {@return the live objects of a device that another process serves, whatever process has made them; null for a device of this
     * process, whose objects the core knows}
     *
     * @throws RdmaException ECONNREFUSED, EIO if the process that serves it is gone
     */
    default @Nullable List<Resource> resourcesOfAllProcesses() {
        return null;
    }

    /**
     * Takes the device away ({@code rdma_link_ops.dellink}): it is not discovered any more. What its contexts have posted is
     * flushed; they are closed later.
     *
     * @throws RdmaException EOPNOTSUPP if its kind of device does not go in this way
     */
    default void remove() {
        throw new RdmaException(Errno.EOPNOTSUPP, name() + " cannot be deleted");
    }
}
