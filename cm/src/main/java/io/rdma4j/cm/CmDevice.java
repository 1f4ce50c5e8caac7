// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import java.lang.foreign.MemorySegment;

/** What the communication manager needs of a device. */
public interface CmDevice {
    /**
     * {@return the CA GUID} Peers identify a connection by GUID and queue pair number, so each space of queue pair
     * numbers needs a GUID of its own: two devices with the same GUID break each other's connections.
     */
    long guid();

    /** {@return {@code local_ca_ack_delay}: 5 bits, exponent of 4.096 µs} */
    int ackDelay();

    /** {@return number of ports} */
    int ports();

    /**
     * {@return the index of a GID in the table of a port, or -1}
     *
     * @param port from 1
     * @param gid a local GID
     */
    int gidIndex(int port, Gid gid);

    /**
     * {@return an entry of the GID table}
     *
     * @param port from 1
     * @param index from 0
     */
    Gid gid(int port, int index);

    /**
     * {@return the index of a partition in the P_Key table of a port, or -1} A full membership comes before a limited
     * one. Corresponds to {@code ib_find_pkey}.
     *
     * @param port from 1
     * @param pkey 16 bits; bit 15 does not count
     */
    int pkeyIndex(int port, int pkey);

    /**
     * {@return the number of low bits of the LID that choose a path; 0 on RoCE}
     *
     * @param port from 1
     */
    default int lmc(int port) {
        return 0;
    }

    /**
     * {@return the maximum path MTU}
     *
     * @param port from 1
     */
    Mtu maxMtu(int port);

    /**
     * Claims the requests to a service for this manager. A device with several managers passes each request to the one
     * that has claimed it.
     *
     * @param serviceId the service ID, masked
     * @param mask bits of the service ID that are compared
     * @throws io.rdma4j.base.RdmaException EBUSY if another manager has it
     */
    default void claimService(long serviceId, long mask) {}

    /**
     * Ends a claim. Throws nothing.
     *
     * @param serviceId as in {@link #claimService}
     * @param mask as in {@link #claimService}
     */
    default void releaseService(long serviceId, long mask) {}

    /**
     * Sends a datagram from QP1 of the port to QP1 of the destination. A datagram that cannot be sent is dropped: the
     * communication manager repeats what is not answered. Throws nothing, and does not call the manager back.
     *
     * @param datagram 256 bytes of native memory; valid only during the call
     * @param destination port, path and P_Key
     */
    void send(MemorySegment datagram, CmAddress destination);
}
