package io.rdma4j.net.driver;

import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Where the connection of a stream comes from; one at a time. By the owner of the loop, if nothing else is said. */
abstract sealed class StreamSource permits StreamListener, StreamDialer {
    /** {@link #untilDueNs} of who waits for the other side only. */
    static final long NEVER = Long.MAX_VALUE;

    StreamSource() {}

    /** A connection is wanted from now on. */
    abstract void start();

    /** The connection was lost: another one is wanted. */
    abstract void lost();

    /** None is wanted any more. */
    abstract void stop();

    /** A connection that has come about; it becomes the caller's, and none is wanted then. Null if there is none, or none is wanted. */
    abstract @Nullable SocketChannel poll();

    /** In how many nanoseconds {@link #poll} has something to do, even if no socket is ready; any thread may ask. */
    abstract long untilDueNs();

    abstract void close();
}
