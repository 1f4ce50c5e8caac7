// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the tables know of an id: its numbers, its service, and its peer. */
abstract class CmEntry {
    final int localId;
    int remoteId;
    long remoteGuid;
    long serviceId;
    /** Mask of the service ID of a listener. */
    long serviceMask;

    @Nullable
    ConnectionParameters connection;
    /** The other end of the messages. */
    @Nullable
    CmAddress address;

    CmEntry(int localId) {
        this.localId = localId;
    }

    /** {@return the communication ID of this end} */
    public int localId() {
        return localId;
    }

    /** {@return the communication ID of the peer; 0 while it is unknown} */
    public int remoteId() {
        return remoteId;
    }

    /** {@return the service ID of a listener or a request} */
    public long serviceId() {
        return serviceId;
    }

    /** Returns true if {@code source} is the peer of the connection: an end of one of its paths. */
    boolean isPeer(CmAddress source) {
        return address().isSameEnd(source) || connection != null && connection.isEnd(source);
    }

    CmAddress address() {
        return Objects.requireNonNull(address, "an id with an exchange of messages has an address");
    }

    ConnectionParameters connection() {
        return Objects.requireNonNull(connection, "an id with an exchange of messages has parameters");
    }
}
