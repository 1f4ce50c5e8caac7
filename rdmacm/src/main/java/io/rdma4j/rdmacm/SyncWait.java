// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/** The waits of a synchronous id for its events. Without the lock. */
final class SyncWait {
    private final RdmaId id;
    private volatile @Nullable ConnectionEvent last;

    SyncWait(RdmaId id) {
        this.id = id;
    }

    @Nullable
    ConnectionEvent last() {
        return last;
    }

    /** Waits for the next request to a listener, and returns its id. */
    RdmaId request() {
        ConnectionEvent event = next();
        event.acknowledge();
        RdmaId child = event.id();
        child.becomeSynchronous(event);
        return child;
    }

    void keep(ConnectionEvent event) {
        last = event;
    }

    private ConnectionEvent next() {
        try {
            return id.channel().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Errno.EINTR, id + " waited for an event", e);
        }
    }

    void acknowledgeLast() {
        ConnectionEvent previous = last;
        if (previous != null) {
            previous.close();
            last = null;
        }
    }

    /** Waits for the event of a call, and returns or throws its outcome. */
    void complete() {
        acknowledgeLast();
        ConnectionEvent event = next();
        last = event;
        if (event.type() == ConnectionEventType.REJECTED) {
            throw new RdmaException(Errno.ECONNREFUSED, id + " was rejected with reason " + event.status());
        }
        if (event.status() != 0) {
            throw new RdmaException(IdErrors.ofStatus(event.status()), event.toString());
        }
    }
}
