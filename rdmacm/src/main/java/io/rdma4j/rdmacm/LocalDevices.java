// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The devices of a host and its routes. Called with the lock of {@link RdmaCm}. */
public interface LocalDevices {
    /** {@return the devices that wildcard listeners use} */
    List<LocalDevice> all();

    /**
     * {@return the device that has an address, or null}
     *
     * @param address IP address
     */
    @Nullable
    LocalDevice at(Gid address);

    /**
     * {@return the own address for one that the program binds} It differs if another process of this host has that
     * address, and this one has another address instead.
     *
     * @param address IP address
     */
    default Gid ownAddress(Gid address) {
        return address;
    }

    /**
     * {@return true if the address is one of this host, with or without a device}
     *
     * @param address IP address
     */
    boolean isLocal(Gid address);

    /**
     * {@return the way to an address}
     *
     * @param source own address, or null for the one of the route
     * @param destination address of the peer
     * @throws io.rdma4j.base.RdmaException ENETUNREACH without route, ENODEV if no device has the source address
     */
    ResolvedRoute route(@Nullable Gid source, Gid destination);

    /**
     * Runs a task that may block, such as a question to the name service. Here at once, by the caller; hosts with
     * threads do not wait for it.
     *
     * @param task takes the lock itself
     */
    default void runTask(Runnable task) {
        task.run();
    }
}
