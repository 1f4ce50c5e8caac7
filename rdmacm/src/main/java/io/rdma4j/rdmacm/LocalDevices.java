// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The devices of a host and its routes. Called with the lock of {@link RdmaCm}. */
public interface LocalDevices {
    /** {@return the devices that wildcard listeners use} */
    List<LocalDevice> all();

    /**
     * {@return the device that has an address, or null}
     *
     * @param address IP address
     * @param scope index of the interface that the device must have, for a link-local IPv6 address; otherwise 0
     */
    @Nullable
    LocalDevice at(Gid address, int scope);

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
     * @param scope index of the interface, if one of both is a link-local IPv6 address; otherwise 0
     * @throws io.rdma4j.base.RdmaException ENETUNREACH without route, ENODEV if no device has the source address
     */
    ResolvedRoute route(@Nullable Gid source, Gid destination, int scope);

    /**
     * Finds the link address of the next hop to an address. A device whose packets the operating system sends leaves
     * that to it.
     *
     * @param route the way to the address
     * @param destination address of the peer
     * @param timeoutMs maximum time until {@code done} is called with ETIMEDOUT
     * @param done called once with the lock, by this call or later: null if packets can be sent, or the error
     * @throws io.rdma4j.base.RdmaException the errno of a route that rejects the address; {@code done} is not called
     */
    default void resolve(ResolvedRoute route, Gid destination, int timeoutMs, Consumer<@Nullable Errno> done) {
        done.accept(null);
    }

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
