package io.rdma4j.net.driver;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Lets one thread sleep until one of a driver's sockets is ready ({@code epoll}). */
final class SocketWatch {
    private static final long NS_PER_MS = 1_000_000;

    private final Selector selector;

    /** @throws RdmaException EIO if the system has no descriptor left */
    SocketWatch() {
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "cannot watch sockets: " + e.getMessage(), e);
        }
    }

    /** Watches one more socket, until it is closed; who sleeps already learns of it. */
    SelectionKey add(SelectableChannel channel, int operations) throws IOException {
        SelectionKey key = channel.register(selector, operations);
        selector.wakeup();
        return key;
    }

    /** Sleeps until a socket is ready, {@link #wakeup} or the time is up, which is rounded up to milliseconds. */
    void await(long timeoutNs) {
        try {
            if (timeoutNs > 0) {
                selector.select(_ -> {}, timeoutNs / NS_PER_MS + 1);
            }
        } catch (IOException | ClosedSelectorException e) {
            // Closed meanwhile; who calls this finds out when it looks at the device.
        }
    }

    /** Ends the sleep of another thread, or its next one. */
    void wakeup() {
        selector.wakeup();
    }

    /**
     * Closes one of the sockets. The system has its descriptor back at once, which it would otherwise have when somebody sleeps
     * here the next time.
     */
    void close(SelectableChannel channel) {
        try {
            channel.close();
            selector.wakeup();
            selector.selectNow(_ -> {});
            // That may have used up the wake-up of somebody else.
            selector.wakeup();
        } catch (IOException | ClosedSelectorException e) {
            // Nothing was promised to be sent; there is nothing left to do.
        }
    }

    void close() {
        try {
            selector.close();
        } catch (IOException e) {
            // The selector holds nothing that closing the channels would not release.
        }
    }
}
