package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where peers come in: a listening socket for each address that is served. For one thread, and it never waits. */
final class Reception {
    /** Somebody who has come and has not said what for. */
    private record Visitor(SocketChannel connection, ByteBuffer message) {}

    /** What becomes of who comes. */
    interface Host {
        /** Somebody has said who they are; the connection is the host's. */
        void welcome(SocketChannel connection, Hello hello);

        /** Somebody only looked whether we are alive, as those do who are new. */
        void lookedIn();
    }

    private static final int BACKLOG = 64;

    private final List<ServerSocketChannel> doors = new ArrayList<>();
    private final List<Path> names = new ArrayList<>();
    private final List<Visitor> visitors = new ArrayList<>();

    /**
     * Listens for the peers of some addresses.
     *
     * @throws IOException if that cannot be; nothing is left then
     */
    static Reception open(ShmDirectory directory, List<Gid> addresses, int port, long owner) throws IOException {
        Reception reception = new Reception();
        try {
            for (Gid address : addresses) {
                Path unborn = directory.unborn(owner, reception.doors.size());
                ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                reception.doors.add(door);
                door.configureBlocking(false);
                reception.names.add(unborn);
                door.bind(UnixDomainSocketAddress.of(unborn), BACKLOG);
                Path name = directory.entry(address, port, owner);
                // Nobody sees it before somebody listens.
                Files.move(unborn, name, StandardCopyOption.ATOMIC_MOVE);
                reception.names.set(reception.names.size() - 1, name);
            }
            return reception;
        } catch (IOException | RuntimeException e) {
            reception.close();
            throw e;
        }
    }

    /** Lets in who waits, and hears who has something to say. */
    void attend(Host host) {
        for (ServerSocketChannel door : doors) {
            for (SocketChannel next = accept(door); next != null; next = accept(door)) {
                visitors.add(new Visitor(next, ByteBuffer.allocateDirect(Hello.BYTES)));
            }
        }
        for (Iterator<Visitor> all = visitors.iterator(); all.hasNext(); ) {
            if (hear(all.next(), host)) {
                all.remove();
            }
        }
    }

    private static @Nullable SocketChannel accept(ServerSocketChannel door) {
        try {
            SocketChannel connection = door.accept();
            if (connection != null) {
                connection.configureBlocking(false);
            }
            return connection;
        } catch (IOException e) {
            // Gone again, or this process has too many files open: then they go on by the sockets.
            return null;
        }
    }

    /** True if the visitor was dealt with. */
    private static boolean hear(Visitor visitor, Host host) {
        ByteBuffer message = visitor.message;
        try {
            boolean isOver = visitor.connection.read(message) < 0;
            if (message.hasRemaining() && !isOver) {
                return false;
            }
            Hello hello = message.hasRemaining() ? null : Hello.read(message.flip());
            if (hello != null) {
                host.welcome(visitor.connection, hello);
                return true;
            }
            if (isOver && message.position() == 0) {
                host.lookedIn();
            }
        } catch (IOException e) {
            // As if it had never come.
        }
        close(visitor.connection);
        return true;
    }

    static void close(SocketChannel connection) {
        try {
            connection.close();
        } catch (IOException e) {
            // It is of no use any more, closed or not.
        }
    }

    /** Nobody comes in any more, and nobody finds the door. */
    void close() {
        visitors.forEach(visitor -> close(visitor.connection));
        visitors.clear();
        for (Path name : names) {
            try {
                Files.deleteIfExists(name);
            } catch (IOException e) {
                // Whoever starts next sweeps.
            }
        }
        for (ServerSocketChannel door : doors) {
            try {
                door.close();
            } catch (IOException e) {
                // It is of no use any more, closed or not.
            }
        }
    }
}
