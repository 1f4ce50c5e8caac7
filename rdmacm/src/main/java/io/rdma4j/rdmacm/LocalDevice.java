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
     * {@return index in the GID table, or -1 if the GID is not one of the port's}
     *
     * @param gid GID; on RoCE an IP address
     */
    int gidIndex(Gid gid);

    /**
     * {@return true if an IP address is one of the port's}
     *
     * @param address IP address
     */
    default boolean hasAddress(Gid address) {
        return gidIndex(address) >= 0;
    }

    /**
     * {@return true if requests in a partition can be for an address of the port}
     *
     * @param address IP address
     * @param pkey P_Key of the request, 16 bits
     */
    default boolean accepts(Gid address, int pkey) {
        return hasAddress(address);
    }

    /**
     * {@return index in the P_Key table of the partition of an own address}
     *
     * @param address an IP address of the port
     */
    default int pkeyIndex(Gid address) {
        return 0;
    }

    /**
     * {@return the GID of the port that the packets to a peer go to; null if it is not known} On RoCE it is the address
     * of the peer.
     *
     * @param own an IP address of the port
     * @param peer resolved address of the peer
     */
    default @Nullable Gid gidOf(Gid own, Gid peer) {
        return peer;
    }

    /** {@return the paths of the subnet; null on RoCE, where a path follows from the addresses} */
    default @Nullable SubnetServices subnet() {
        return null;
    }

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
