// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The values that only some events have. */
record EventDetails(
        @Nullable ConnectParameters parameters,
        @Nullable DatagramPeer datagram,
        MemorySegment privateData,
        @Nullable Object context,
        @Nullable Gid group) {
    static final EventDetails NONE = new EventDetails(null, null, MemorySegment.NULL, null, null);

    static EventDetails of(ConnectParameters parameters) {
        return new EventDetails(parameters, null, parameters.privateData(), null, null);
    }

    static EventDetails of(MemorySegment privateData) {
        return new EventDetails(null, null, privateData, null, null);
    }

    static EventDetails of(DatagramPeer datagram, MemorySegment privateData, @Nullable Object context) {
        return new EventDetails(null, datagram, privateData, context, null);
    }

    /** @param group IP address of the group */
    static EventDetails of(Gid group, @Nullable DatagramPeer datagram, @Nullable Object context) {
        return new EventDetails(null, datagram, MemorySegment.NULL, context, group);
    }
}
