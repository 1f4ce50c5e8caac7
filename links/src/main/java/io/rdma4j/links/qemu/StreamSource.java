// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Source of the connection of a stream, one at a time. Only the owner of the loop calls it, unless stated otherwise.
 */
abstract sealed class StreamSource permits StreamListener, StreamDialer {
    /** Value of {@link #untilDueNs} for a source that only waits for the peer. */
    static final long NEVER = Long.MAX_VALUE;

    StreamSource() {}

    /** Starts to look for a connection. */
    abstract void start();

    /** Reports that the connection was lost; the source looks for another one if it can. */
    abstract void lost();

    /** Stops to look for a connection. */
    abstract void stop();

    /**
     * Returns an established connection, which then belongs to the caller, and stops to look for another one. Null if
     * there is none or none is requested.
     */
    abstract @Nullable SocketChannel poll();

    /** Nanoseconds until {@link #poll} has work even if no socket is ready. Any thread may call it. */
    abstract long untilDueNs();

    abstract void close();
}
