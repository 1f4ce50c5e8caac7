// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The values that only some events have. */
record EventDetails(
        @Nullable ConnectParameters parameters,
        @Nullable DatagramPeer datagram,
        MemorySegment privateData,
        @Nullable Object context) {
    static final EventDetails NONE = new EventDetails(null, null, MemorySegment.NULL, null);

    static EventDetails of(ConnectParameters parameters) {
        return new EventDetails(parameters, null, parameters.privateData(), null);
    }

    static EventDetails of(MemorySegment privateData) {
        return new EventDetails(null, null, privateData, null);
    }

    static EventDetails of(DatagramPeer datagram, MemorySegment privateData, @Nullable Object context) {
        return new EventDetails(null, datagram, privateData, context);
    }
}
