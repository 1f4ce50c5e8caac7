// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.local.LocalDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Accepts connections of peers: one listening Unix socket for each served address. For one thread; never blocks. */
final class Acceptor {
    /** A connection whose hello message has not arrived completely. */
    private record PendingConnection(SocketChannel connection, ByteBuffer message) {}

    /** Callbacks for accepted connections. */
    interface Host {
        /** Handles a connection after its hello message. The host owns the connection from now on. */
        void onConnection(SocketChannel connection, Hello hello);

        /**
         * Handles a connection that the peer closed without a message: a starting process probes all sockets ({@link
         * ShmDirectory#sweep}).
         */
        void checkedIn();
    }

    private static final int BACKLOG = 64;

    /** A listening socket and its file. */
    private record Listener(Gid address, ServerSocketChannel socket, Path name) {}

    private final ShmEnd end;
    private final List<Listener> listeners = new ArrayList<>();
    private final List<PendingConnection> pendingConnections = new ArrayList<>();

    private Acceptor(ShmEnd end) {
        this.end = end;
    }

    /**
     * Binds a listening socket for each address.
     *
     * @throws IOException if a socket cannot be bound; then no socket and no file remains
     */
    static Acceptor open(ShmEnd end, List<Gid> addresses) throws IOException {
        Acceptor acceptor = new Acceptor(end);
        try {
            acceptor.follow(addresses);
            return acceptor;
        } catch (IOException | RuntimeException e) {
            acceptor.close();
            throw e;
        }
    }

    /**
     * Listens at these addresses from now on.
     *
     * @throws IOException if a socket cannot be bound; the addresses after it have none then
     */
    void follow(List<Gid> addresses) throws IOException {
        for (Iterator<Listener> all = listeners.iterator(); all.hasNext(); ) {
            Listener listener = all.next();
            if (!addresses.contains(listener.address)) {
                close(listener);
                all.remove();
            }
        }
        for (Gid address : addresses) {
            if (listeners.stream().noneMatch(listener -> listener.address.equals(address))) {
                listeners.add(listen(address));
            }
        }
    }

    private Listener listen(Gid address) throws IOException {
        Path name = end.directory().entry(address, end.port(), end.owner());
        Listener listener = new Listener(address, LocalDirectory.listen(name, BACKLOG), name);
        try {
            listener.socket.configureBlocking(false);
            return listener;
        } catch (IOException | RuntimeException e) {
            close(listener);
            throw e;
        }
    }

    /** Accepts waiting connections and reads their hello messages. */
    void attend(Host host) {
        for (Listener listener : listeners) {
            for (SocketChannel next = accept(listener.socket); next != null; next = accept(listener.socket)) {
                pendingConnections.add(new PendingConnection(next, ByteBuffer.allocateDirect(Hello.BYTES)));
            }
        }
        for (Iterator<PendingConnection> all = pendingConnections.iterator(); all.hasNext(); ) {
            if (hear(all.next(), host)) {
                all.remove();
            }
        }
    }

    private static @Nullable SocketChannel accept(ServerSocketChannel listener) {
        try {
            SocketChannel connection = listener.accept();
            if (connection != null) {
                connection.configureBlocking(false);
            }
            return connection;
        } catch (IOException e) {
            // The peer has closed the connection, or this process has too many open files. The peer then uses UDP
            // sockets.
            return null;
        }
    }

    /** Returns true if the connection is complete, closed or invalid. */
    private static boolean hear(PendingConnection pending, Host host) {
        ByteBuffer message = pending.message;
        try {
            boolean isOver = pending.connection.read(message) < 0;
            if (message.hasRemaining() && !isOver) {
                return false;
            }
            Hello hello = message.hasRemaining() ? null : Hello.read(message.flip());
            if (hello != null) {
                host.onConnection(pending.connection, hello);
                return true;
            }
            if (isOver && message.position() == 0) {
                host.checkedIn();
            }
        } catch (IOException e) {
            // The connection is ignored.
        }
        close(pending.connection);
        return true;
    }

    static void close(SocketChannel connection) {
        try {
            connection.close();
        } catch (IOException e) {
            // The connection is no longer used, even if close fails.
        }
    }

    /** Closes pending connections, deletes the socket files and closes the listening sockets. */
    void close() {
        pendingConnections.forEach(pending -> close(pending.connection));
        pendingConnections.clear();
        listeners.forEach(Acceptor::close);
        listeners.clear();
    }

    private static void close(Listener listener) {
        try {
            Files.deleteIfExists(listener.name);
        } catch (IOException e) {
            // The sweep of the next process that starts deletes the file.
        }
        try {
            listener.socket.close();
        } catch (IOException e) {
            // The listening socket is no longer used, even if close fails.
        }
    }
}
