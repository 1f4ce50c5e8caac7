package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.DeviceModification;
import io.rdma4j.verbs.NodeType;

/** A device as its provider sees it; not opened yet ({@code struct verbs_device}). */
public interface DeviceOps {
    /** Unique within the host, such as {@code rxe_0}. */
    String name();

    /** The kind of node; it says which transport the device speaks. */
    default NodeType nodeType() {
        return NodeType.CA;
    }

    /** EUI-64 of the device. */
    long nodeGuid();

    /** What the device says of itself in a few words, 64 bytes at most; its name unless it knows better. */
    default String nodeDescription() {
        return name();
    }

    /**
     * Opens it ({@code alloc_context}). Contexts are independent of one another.
     *
     * @param events where events of the device and its ports are to be told
     * @throws RdmaException whatever keeps it from opening, with a message that says how to go on
     */
    ContextOps open(ContextEvents events);

    /**
     * Changes what the device says of itself ({@code modify_device}).
     *
     * @throws RdmaException EOPNOTSUPP if it cannot change what is asked; nothing is changed then
     */
    default void modify(DeviceModification change) {
        throw new RdmaException(Errno.EOPNOTSUPP, name() + " cannot be modified");
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
