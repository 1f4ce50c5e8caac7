// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * TCP connection between the two ends of a test, over which they exchange addresses before they use RDMA. Texts and
 * port are those of the original programs.
 */
public final class Rendezvous {
    /** Default TCP port of the original programs. */
    public static final int DEFAULT_PORT = 18515;

    /** Highest TCP port. */
    public static final int MAX_PORT = 65_535;

    /** Read timeout. A peer replies immediately; one that is silent for so long has ended or is another program. */
    private static final int SILENCE_MS = 10_000;

    private Rendezvous() {}

    /**
     * Connects to a server by IPv4 or IPv6. Reading from the connection ends with an {@code IOException} if the peer is
     * silent for 10 seconds.
     *
     * @return the connection; the caller closes it
     */
    public static Socket connect(String host, int port) throws ToolFailure {
        return connect(host, port, null);
    }

    /**
     * Connects from an address of this machine.
     *
     * @param source name or address; null: the route determines it
     * @return the connection; the caller closes it
     */
    public static Socket connect(String host, int port, @Nullable String source) throws ToolFailure {
        IOException reason = null;
        for (InetAddress address : resolve(host, port)) {
            Socket socket = new Socket();
            try {
                if (source != null) {
                    socket.bind(new InetSocketAddress(resolve(source, 0)[0], 0));
                }
                socket.connect(new InetSocketAddress(address, port), SILENCE_MS);
                return prepared(socket);
            } catch (IOException e) {
                reason = e;
                closeQuietly(socket);
            }
        }
        throw new ToolFailure("Couldn't connect to " + host + ":" + port, reason);
    }

    /** Resolves a host to at least one address. */
    static InetAddress[] resolve(String host, int port) throws ToolFailure {
        try {
            return InetAddress.getAllByName(host);
        } catch (UnknownHostException _) {
            throw new ToolFailure("Name or service not known for " + host + ":" + port);
        }
    }

    private static Socket prepared(Socket socket) throws IOException {
        socket.setSoTimeout(SILENCE_MS);
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** Listens on all addresses of the machine, IPv4 and IPv6. */
    public static Listener listen(int port) throws ToolFailure {
        return listen(port, null);
    }

    /**
     * Listens on one address.
     *
     * @param address name or address; null for all of the machine
     */
    public static Listener listen(int port, @Nullable String address) throws ToolFailure {
        try {
            return new Listener(
                    address == null
                            ? new InetSocketAddress(port)
                            : new InetSocketAddress(resolve(address, port)[0], port));
        } catch (IOException e) {
            throw new ToolFailure("Couldn't listen to port " + port, e);
        }
    }

    /** The server's listening socket, for one client. */
    public static final class Listener implements AutoCloseable {
        private final ServerSocket server;

        private Listener(InetSocketAddress address) throws IOException {
            server = new ServerSocket();
            try {
                server.setReuseAddress(true);
                server.bind(address, 1);
            } catch (IOException e) {
                closeQuietly(server);
                throw e;
            }
        }

        /**
         * Waits for a client without timeout, then stops listening. The connection has the read timeout of {@link
         * Rendezvous#connect}.
         */
        public Socket accept() throws ToolFailure {
            try (server) {
                return prepared(server.accept());
            } catch (IOException e) {
                throw new ToolFailure("accept() failed", e);
            }
        }

        /** Stops listening. */
        @Override
        public void close() {
            closeQuietly(server);
        }
    }

    private static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // A failure to close the socket has no effect here.
        }
    }
}
