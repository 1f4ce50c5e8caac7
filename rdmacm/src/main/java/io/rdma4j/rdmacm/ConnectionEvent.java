// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An event of an {@link RdmaId}. Corresponds to {@code struct rdma_cm_event}. The receiver
 * acknowledges it once; {@link RdmaId#close} waits for that.
 */
public final class ConnectionEvent implements AutoCloseable {
    private final RdmaId id;
    private final @Nullable RdmaId listenId;
    private final ConnectionEventType type;
    private final int status;
    private final @Nullable ConnectParameters parameters;
    private final @Nullable DatagramPeer datagram;
    private final MemorySegment privateData;
    private final @Nullable Object context;
    private final @Nullable Gid group;
    // Guarded by the lock of rdma_cm.
    private boolean isAcknowledged;

    ConnectionEvent(RdmaId id, @Nullable RdmaId listenId, ConnectionEventType type, int status, EventDetails details) {
        this.id = id;
        this.listenId = listenId;
        this.type = type;
        this.status = status;
        this.parameters = details.parameters();
        this.datagram = details.datagram();
        this.privateData = details.privateData();
        this.context = details.context();
        this.group = details.group();
    }

    /** {@return the id; a new one for a CONNECT_REQUEST} */
    public RdmaId id() {
        return id;
    }

    /** {@return the listener of a CONNECT_REQUEST; null for other events} */
    public @Nullable RdmaId listenId() {
        return listenId;
    }

    /** {@return what happened} */
    public ConnectionEventType type() {
        return type;
    }

    /** {@return 0, a negative errno, or the positive reason of a rejection or status of a datagram service} */
    public int status() {
        return status;
    }

    /** {@return what the peer says about the connection; null if the event has no such values} */
    public @Nullable ConnectParameters parameters() {
        return parameters;
    }

    /** {@return where datagrams go; null if the event has no such values} */
    public @Nullable DatagramPeer datagram() {
        return datagram;
    }

    /** {@return the private data of the peer: the whole field, with 0 after the data; empty if there is none} */
    public MemorySegment privateData() {
        return privateData;
    }

    /** {@return the object of {@link RdmaId#joinMulticast} or {@link RdmaId#writeEvent}; null in other events} */
    public @Nullable Object context() {
        return context;
    }

    /** IP address of the group that was joined, or could not be; null in other events. */
    @Nullable
    Gid group() {
        return group;
    }

    /** The id that waits for the acknowledgement. */
    RdmaId owner() {
        return listenId == null ? id : listenId;
    }

    /**
     * Acknowledges the event. Corresponds to {@code rdma_ack_cm_event}.
     *
     * @throws RdmaException EINVAL if it is acknowledged already
     */
    public void acknowledge() {
        if (!acknowledgeOnce()) {
            throw new RdmaException(Errno.EINVAL, this + " is acknowledged already");
        }
    }

    private boolean acknowledgeOnce() {
        return id.lock().locked(() -> {
            boolean isFirst = !isAcknowledged;
            isAcknowledged = true;
            if (isFirst) {
                owner().acknowledged(this);
            }
            return isFirst;
        });
    }

    /** Acknowledges the event, unless that has been done. */
    @Override
    public void close() {
        acknowledgeOnce();
    }

    @Override
    public String toString() {
        return type.text() + ", status " + status + ", " + id;
    }
}
