// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The state of an id, for its parts and for the tables. With the lock of rdma_cm. */
abstract class IdView {
    volatile RdmaIdState state = RdmaIdState.IDLE;

    @Nullable
    volatile LocalDevice device;

    Gid localGid = Gid.ZERO;
    /** Index of the interface of its link-local addresses, {@code bound_dev_if}; 0 without. */
    int boundInterface;

    int localPort;
    Gid peerGid = Gid.ZERO;
    /** GID of the peer's port: on RoCE its address. */
    Gid peerPortGid = Gid.ZERO;

    int peerPort;
    IdOptions options;

    @Nullable
    volatile ManagedQp qp;

    IdView(IdOptions options) {
        this.options = options;
    }

    abstract PortSpace portSpace();

    abstract QpType qpType();

    final boolean isDatagram() {
        return qpType() == QpType.UD;
    }

    abstract RdmaCmOptions managerOptions();

    abstract int newPsn();

    LocalDevice requireDevice() {
        LocalDevice own = device;
        if (own == null) {
            throw new RdmaException(Errno.ENODEV, this + " is bound to no device");
        }
        return own;
    }

    /** Takes a transition of an event; false without transition. */
    boolean step(RdmaIdTrigger trigger) {
        RdmaIdState next = RdmaIdStateTable.step(state, trigger);
        if (next != null) {
            state = next;
        }
        return next != null;
    }

    abstract void post(ConnectionEventType type, int status, EventDetails details);

    final void post(ConnectionEventType type, int status) {
        post(type, status, EventDetails.NONE);
    }

    /** Returns true if the backlog has room for a request. */
    abstract boolean hasRoom();

    /** A peer requests a connection or a datagram service. */
    abstract void requested(LocalDevice at, CmId cmId, CmEvent event, MemorySegment data);

    abstract void deviceRemoved(LocalDevice removed);

    abstract void addressesChanged(LocalDevice changed);
}
