// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop.socket;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Lets one thread wait until one of a driver's sockets is ready ({@code epoll}). */
public final class SocketWatch {
    private static final long NS_PER_MS = 1_000_000;

    private final Selector selector;

    /** @throws RdmaException EIO if the system has no descriptor left */
    public SocketWatch() {
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "cannot watch sockets: " + e.getMessage(), e);
        }
    }

    /** Adds a socket, until it is closed; a thread that already waits is woken up. */
    public SelectionKey add(SelectableChannel channel, int operations) throws IOException {
        SelectionKey key = channel.register(selector, operations);
        selector.wakeup();
        return key;
    }

    /**
     * Waits until a socket is ready, {@link #wakeup} is called or the timeout expires, which is rounded up to
     * milliseconds.
     */
    public void await(long timeoutNs) {
        try {
            if (timeoutNs > 0) {
                selector.select(_ -> {}, timeoutNs / NS_PER_MS + 1);
            }
        } catch (IOException | ClosedSelectorException e) {
            // Closed concurrently; the caller detects this when it polls the device.
        }
    }

    /** Wakes up the waiting thread, or lets the next wait return at once. */
    public void wakeup() {
        selector.wakeup();
    }

    /**
     * Closes one of the sockets. Deregisters it at once; otherwise the system would keep its descriptor until the next
     * wait.
     */
    public void close(SelectableChannel channel) {
        try {
            channel.close();
            selector.wakeup();
            selector.selectNow(_ -> {});
            // selectNow may have consumed a wake-up that was meant for another thread.
            selector.wakeup();
        } catch (IOException | ClosedSelectorException e) {
            // Delivery is not guaranteed, and no other cleanup is possible.
        }
    }

    public void close() {
        try {
            selector.close();
        } catch (IOException e) {
            // The selector holds nothing that closing the channels does not release.
        }
    }
}
