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
 * How the two ends of a test find each other: a TCP connection, over which they tell each other their addresses before they can
 * talk RDMA. Texts and port are those of the original programs.
 */
public final class Rendezvous {
    /** The port that the original programs use. */
    public static final int DEFAULT_PORT = 18515;

    /** The largest port there is. */
    public static final int MAX_PORT = 65_535;

    /** Whoever is there answers at once; one that is silent for so long has died, or is no such program at all. */
    private static final int SILENCE_MS = 10_000;

    private Rendezvous() {}

    /**
     * Connects to whoever waits at a host, by IPv4 or IPv6. Reading from the connection ends with an {@code IOException} if the
     * peer is silent for 10 seconds.
     *
     * @return the connection; the caller closes it
     */
    public static Socket connect(String host, int port) throws ToolFailure {
        return connect(host, port, null);
    }

    /**
     * The same from an address of this machine.
     *
     * @param source name or address; null for the one that the route takes
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

    /** The addresses of a host, at least one. */
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

    /** Begins to listen on all addresses of the machine, IPv4 and IPv6. */
    public static Listener listen(int port) throws ToolFailure {
        return listen(port, null);
    }

    /**
     * Begins to listen on one address.
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

    /** The server's end, for one client. */
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
         * Waits for a client, however long it takes; then nobody listens any more. The connection is as that of
         * {@link Rendezvous#connect}.
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
            // It was of no use, or has done its duty.
        }
    }
}
