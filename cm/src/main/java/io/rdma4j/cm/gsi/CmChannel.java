// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Gid;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmIdRange;
import io.rdma4j.mad.gsi.TimedWork;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The use of the queue pairs 1 of a device by one communication manager. All managers of a device, in all processes,
 * share these queue pairs: {@link CmRouter} passes each received message to the manager that it is for. Any thread.
 */
public interface CmChannel extends AutoCloseable {
    /** {@return the communication IDs of this manager; no other one of the device has them} */
    CmIdRange ids();

    /** {@return the upper half of the transaction IDs} */
    int agent();

    /**
     * Lets requests to a service come to this manager.
     *
     * @param serviceId the service ID, masked
     * @param mask bits of the service ID that are compared
     * @throws io.rdma4j.base.RdmaException EBUSY if another manager of the device listens, ENOMEM if this one has too
     *     many claims
     */
    void listen(long serviceId, long mask);

    /**
     * Ends {@link #listen}. Throws nothing.
     *
     * @param serviceId as in {@link #listen}
     * @param mask as in {@link #listen}
     */
    void endListen(long serviceId, long mask);

    /**
     * Claims a port of rdma_cm at an address, by the rules of Linux.
     *
     * @param serviceId the service ID of port space and port
     * @param address own address, or a wildcard
     * @param reuse true if other ids that say so, too, may share the port as long as none listens
     * @throws io.rdma4j.base.RdmaException EADDRINUSE if another manager has it at this address, EADDRNOTAVAIL if one
     *     of both is a wildcard, ENOMEM if this one has too many claims
     */
    void bindPort(long serviceId, Gid address, boolean reuse);

    /**
     * Ends a claim of {@link #bindPort}. Throws nothing.
     *
     * @param serviceId as in {@link #bindPort}
     * @param address as in {@link #bindPort}
     */
    void releasePort(long serviceId, Gid address);

    /**
     * Sends a CM message. One that cannot be sent, or that is none of this manager's, is dropped.
     *
     * @param datagram 256 bytes; read only during the call
     * @param destination port, path and P_Key
     */
    void send(MemorySegment datagram, CmAddress destination);

    /** {@return the next received message; null if there is none} */
    @Nullable
    CmDatagram receive();

    /**
     * Lets the driver of the device call the manager: after messages have arrived, at its deadlines, and after
     * {@link #wakeup}.
     *
     * @param manager receives all messages and serves its timers; called by one thread at a time
     */
    void start(TimedWork manager);

    /** Lets the driver call the manager soon. */
    void wakeup();

    /**
     * Does what is due. Only for a device that its users drive.
     *
     * @param nowNs the time; never decreases
     * @return the time of the next call; messages may arrive earlier
     */
    long progress(long nowNs);

    /** {@return number of messages that were dropped instead of being sent} */
    long unsent();

    /**
     * Ends the use: the driver no longer calls the manager, all claims are free. What the manager has left open is
     * ended in its place: peers get a DREQ for a connection and a REJ for a request. Idempotent.
     */
    @Override
    void close();
}
