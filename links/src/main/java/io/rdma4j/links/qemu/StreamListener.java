// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.socket.SocketWatch;
import java.io.IOException;
import java.net.BindException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/** Accepts a connection from the peer. While it is connected, further connections wait in the system's backlog. */
final class StreamListener extends StreamSource {
    private final ServerSocketChannel server;
    private final SelectionKey key;
    private final SocketWatch watch;
    private boolean wanted;

    /** @throws RdmaException EADDRINUSE if the address is taken, EADDRNOTAVAIL for any other error of the system */
    StreamListener(SocketAddress local, SocketWatch watch) {
        this.watch = watch;
        try {
            server = local instanceof UnixDomainSocketAddress
                    ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    : ServerSocketChannel.open();
        } catch (IOException e) {
            throw refusal(local, e);
        }
        try {
            server.configureBlocking(false);
            server.bind(local, 1);
            key = watch.add(server, 0);
        } catch (IOException e) {
            watch.close(server);
            throw refusal(local, e);
        }
    }

    private static RdmaException refusal(SocketAddress local, IOException e) {
        if (e instanceof BindException) {
            return new RdmaException(
                    Errno.EADDRINUSE,
                    "cannot listen on " + local + ", another process may listen, or a file is left: delete it",
                    e);
        }
        return new RdmaException(Errno.EADDRNOTAVAIL, "cannot listen on " + local + ": " + e.getMessage(), e);
    }

    /** Returns the address on which it listens; if port 0 was requested, with the port that the system chose. */
    SocketAddress address() {
        try {
            return server.getLocalAddress();
        } catch (IOException e) {
            throw new RdmaException(Errno.ENODEV, "the socket is closed", e);
        }
    }

    @Override
    void start() {
        wanted(true);
    }

    @Override
    void lost() {
        wanted(true);
    }

    @Override
    void stop() {
        wanted(false);
    }

    private void wanted(boolean value) {
        wanted = value;
        key.interestOps(value ? SelectionKey.OP_ACCEPT : 0);
        watch.wakeup();
    }

    @Override
    @Nullable
    SocketChannel poll() {
        if (!wanted) {
            return null;
        }
        try {
            SocketChannel channel = server.accept();
            if (channel != null) {
                wanted(false);
            }
            return channel;
        } catch (IOException e) {
            // The peer closed the connection before it was accepted.
            return null;
        }
    }

    @Override
    long untilDueNs() {
        return NEVER;
    }

    @Override
    void close() {
        SocketAddress address = address();
        watch.close(server);
        if (address instanceof UnixDomainSocketAddress unix) {
            try {
                Files.deleteIfExists(unix.getPath());
            } catch (IOException e) {
                // The file stays; the next attempt to listen on this path fails with EADDRINUSE.
            }
        }
    }
}
