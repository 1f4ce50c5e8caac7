package io.rdma4j.tools;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How the two ends of a ping-pong learn each other's address before they can talk RDMA: over a TCP connection, in the
 * format of rdma-core's programs. The client sends its address; the server connects its queue pair, answers with its own,
 * and the client confirms.
 */
final class OutOfBand {
    /** The port that the original programs use. */
    static final int DEFAULT_PORT = 18515;

    /** Both ends answer at once; one that is silent for so long has died, or is not a ping-pong at all. */
    private static final int SILENCE_MS = 10_000;

    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private OutOfBand() {}

    /** Connects the local queue pair to the peer. */
    @FunctionalInterface
    interface Connector {
        void connect(PingPongAddress remote) throws PingPongFailure;
    }

    /**
     * The client's part.
     *
     * @return the server's address; its queue pair is connected
     */
    static PingPongAddress askServer(String host, int port, PingPongAddress mine) throws PingPongFailure {
        try (Socket socket = connect(host, port)) {
            try {
                socket.getOutputStream().write(mine.encode());
            } catch (IOException e) {
                throw new PingPongFailure("Couldn't send local address", e);
            }
            byte[] answer = new byte[PingPongAddress.MESSAGE_BYTES];
            int length = read(socket, answer);
            if (length == answer.length) {
                socket.getOutputStream().write(DONE);
            }
            return PingPongAddress.decode(Arrays.copyOf(answer, length))
                    .orElseThrow(() -> new PingPongFailure("Couldn't read/write remote address"));
        } catch (IOException e) {
            throw new PingPongFailure("Couldn't read/write remote address", e);
        }
    }

    private static Socket connect(String host, int port) throws PingPongFailure {
        IOException reason = null;
        for (InetAddress address : resolve(host, port)) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, port), SILENCE_MS);
                socket.setSoTimeout(SILENCE_MS);
                return socket;
            } catch (IOException e) {
                reason = e;
                closeQuietly(socket);
            }
        }
        throw new PingPongFailure("Couldn't connect to " + host + ":" + port, reason);
    }

    private static InetAddress[] resolve(String host, int port) throws PingPongFailure {
        try {
            return InetAddress.getAllByName(host);
        } catch (UnknownHostException _) {
            throw new PingPongFailure("Name or service not known for " + host + ":" + port);
        }
    }

    /** Begins to listen on all addresses of the machine, IPv4 and IPv6. */
    static Listener listen(int port) throws PingPongFailure {
        try {
            return new Listener(port);
        } catch (IOException e) {
            throw new PingPongFailure("Couldn't listen to port " + port, e);
        }
    }

    /** The server's end, for one client. */
    static final class Listener implements AutoCloseable {
        private final ServerSocket server;

        private Listener(int port) throws IOException {
            server = new ServerSocket();
            try {
                server.setReuseAddress(true);
                server.bind(new InetSocketAddress(port), 1);
            } catch (IOException e) {
                closeQuietly(server);
                throw e;
            }
        }

        /**
         * Waits for a client, however long it takes, and does the server's part; then nobody listens any more.
         *
         * @param connector called with the client's address before it gets the answer: from then on it may send
         * @return the client's address
         */
        PingPongAddress answerClient(PingPongAddress mine, Connector connector) throws PingPongFailure {
            try (Socket socket = accept()) {
                PingPongAddress remote = readAddress(socket);
                try {
                    connector.connect(remote);
                } catch (PingPongFailure e) {
                    throw new PingPongFailure(e.getMessage() + "\nCouldn't connect to remote QP", e.getCause());
                }
                answer(socket, mine);
                return remote;
            } catch (IOException e) {
                throw new PingPongFailure("accept() failed", e);
            }
        }

        private Socket accept() throws IOException {
            try (server) {
                return server.accept();
            }
        }

        private static PingPongAddress readAddress(Socket socket) throws PingPongFailure {
            byte[] message = new byte[PingPongAddress.MESSAGE_BYTES];
            int length = 0;
            IOException reason = null;
            try {
                socket.setSoTimeout(SILENCE_MS);
                length = read(socket, message);
            } catch (IOException e) {
                reason = e;
            }
            String failure = length + "/" + message.length + ": Couldn't read remote address";
            @Nullable IOException cause = reason;
            return PingPongAddress.decode(Arrays.copyOf(message, length))
                    .orElseThrow(() -> new PingPongFailure(failure, cause));
        }

        private static void answer(Socket socket, PingPongAddress mine) throws PingPongFailure {
            try {
                socket.getOutputStream().write(mine.encode());
                byte[] confirmation = new byte[DONE.length];
                if (read(socket, confirmation) == DONE.length && Arrays.equals(confirmation, DONE)) {
                    return;
                }
            } catch (IOException e) {
                throw new PingPongFailure("Couldn't send/recv local address", e);
            }
            throw new PingPongFailure("Couldn't send/recv local address");
        }

        /** Stops listening. */
        @Override
        public void close() {
            closeQuietly(server);
        }
    }

    /** Bytes until {@code message} is full or the peer closed the connection. */
    private static int read(Socket socket, byte[] message) throws IOException {
        InputStream in = socket.getInputStream();
        return in.readNBytes(message, 0, message.length);
    }

    private static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It was of no use, or has done its duty.
        }
    }
}
