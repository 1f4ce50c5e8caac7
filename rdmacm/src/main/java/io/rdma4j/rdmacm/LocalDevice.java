// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.cm.Cm;
import io.rdma4j.verbs.Context;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What rdma_cm needs of a port of a local device. Addresses are GIDs: IPv4 addresses are mapped. */
public interface LocalDevice {
    /** {@return name of the device} */
    String name();

    /** {@return port number, from 1} */
    int port();

    /**
     * {@return what an action on the communication manager of the device returns} Brings the manager up to the present
     * time first, and sees to timers that are due earlier afterwards. Called with the lock of {@link RdmaCm}, which
     * protects the manager, too.
     *
     * @param <T> type of the result
     * @param action does not block; may call this method again
     */
    <T> T call(Function<Cm, T> action);

    /** {@return an open context, which belongs to the device; null for a device without verbs} */
    @Nullable
    Context context();

    /** {@return the IP addresses of the port} */
    List<Gid> addresses();

    /**
     * {@return index in the GID table, or -1 if the address is not one of the port's}
     *
     * @param address IP address
     */
    int gidIndex(Gid address);

    /** {@return index of the network interface of the port; 0 if it is not known} */
    int interfaceIndex();

    /**
     * {@return true if the route to a peer leaves this host through the network interface of the port}
     *
     * @param own address of the port
     * @param peer address of the peer, of the same family
     */
    boolean hasRoute(Gid own, Gid peer);

    /** {@return path MTU that the port can use now} */
    Mtu pathMtu();

    /** {@return {@code max_qp_rd_atom}} */
    int maxResponderResources();

    /** {@return {@code max_qp_init_rd_atom}} */
    int maxInitiatorDepth();

    /**
     * Claims a port at an address, so that no other process has it.
     *
     * @param serviceId the service ID of port space and port
     * @param address an address of the device, or a wildcard
     * @param reuse true if other ids that say so, too, may share the port as long as none listens
     * @throws io.rdma4j.base.RdmaException EADDRINUSE if another process has it at this address, EADDRNOTAVAIL if one
     *     of both is a wildcard
     */
    default void bindPort(long serviceId, Gid address, boolean reuse) {}

    /**
     * Ends a claim of {@link #bindPort}.
     *
     * @param serviceId as in {@link #bindPort}
     * @param address as in {@link #bindPort}
     */
    default void releasePort(long serviceId, Gid address) {}

    /** Lets the driver call {@link RdmaCm#completeFutures} soon. Does not wait; any thread. */
    void wakeup();
}
