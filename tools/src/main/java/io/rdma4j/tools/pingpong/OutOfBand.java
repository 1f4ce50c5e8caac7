// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.peer.LoopbackCheck;
import io.rdma4j.tools.peer.Rendezvous;
import io.rdma4j.tools.peer.ToolFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges the addresses of a ping-pong over a TCP connection, in the format of rdma-core's programs. The client sends
 * its addresses. The server connects its queue pairs and sends as many addresses. The client confirms.
 */
final class OutOfBand {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private OutOfBand() {}

    /** Connects the local queue pairs to those of the peer. */
    @FunctionalInterface
    interface Connector {
        void connect(List<PingPongAddress> remote) throws ToolFailure;
    }

    /**
     * Exchanges addresses as the client.
     *
     * @return the server's addresses, as many as {@code mine}; its queue pairs are connected
     */
    static List<PingPongAddress> askServer(String host, int port, List<PingPongAddress> mine) throws ToolFailure {
        try (Socket socket = Rendezvous.connect(host, port)) {
            try {
                socket.getOutputStream().write(encode(mine));
            } catch (IOException e) {
                throw new ToolFailure("Couldn't send local address", e);
            }
            List<PingPongAddress> answer = new ArrayList<>();
            while (answer.size() < mine.size()) {
                byte[] message = new byte[PingPongAddress.MESSAGE_BYTES];
                int length = read(socket, message);
                answer.add(PingPongAddress.decode(Arrays.copyOf(message, length))
                        .orElseThrow(() -> new ToolFailure("Couldn't read/write remote address")));
            }
            check(socket, mine, answer);
            socket.getOutputStream().write(DONE);
            return answer;
        } catch (IOException e) {
            throw new ToolFailure("Couldn't read/write remote address", e);
        }
    }

    /**
     * Exchanges addresses as the server; waits for a client without timeout.
     *
     * @param connector called with the client's addresses before the server sends its own; the client may send messages
     *     after that
     * @return the client's addresses, as many as {@code mine}
     */
    static List<PingPongAddress> answerClient(
            Rendezvous.Listener listener, List<PingPongAddress> mine, Connector connector) throws ToolFailure {
        return answerClient(listener.accept(), mine, connector);
    }

    /**
     * Exchanges addresses with a connected client.
     *
     * @param client its connection, which is closed
     */
    static List<PingPongAddress> answerClient(Socket client, List<PingPongAddress> mine, Connector connector)
            throws ToolFailure {
        try (Socket socket = client) {
            List<PingPongAddress> remote = new ArrayList<>();
            while (remote.size() < mine.size()) {
                remote.add(readAddress(socket, mine.size() == 1 ? "" : " [" + remote.size() + "]"));
            }
            try {
                check(socket, mine, remote);
            } catch (ToolFailure e) {
                // The client receives the addresses, so that it rejects them too and reports the reason to its user.
                socket.getOutputStream().write(encode(mine));
                throw e;
            }
            try {
                connector.connect(remote);
            } catch (ToolFailure e) {
                throw new ToolFailure(e.getMessage() + "\nCouldn't connect to remote QP", e.getCause());
            }
            answer(socket, mine);
            return remote;
        } catch (IOException e) {
            throw new ToolFailure("Couldn't send/recv local address", e);
        }
    }

    private static void check(Socket socket, List<PingPongAddress> mine, List<PingPongAddress> remote)
            throws ToolFailure {
        LoopbackCheck.check(
                socket.getInetAddress(),
                mine.getFirst().gid(),
                remote.getFirst().gid());
    }

    private static PingPongAddress readAddress(Socket socket, String which) throws ToolFailure {
        byte[] message = new byte[PingPongAddress.MESSAGE_BYTES];
        int length = 0;
        IOException reason = null;
        try {
            length = read(socket, message);
        } catch (IOException e) {
            reason = e;
        }
        String failure = length + "/" + message.length + ": Couldn't read remote address" + which;
        @Nullable IOException cause = reason;
        return PingPongAddress.decode(Arrays.copyOf(message, length))
                .orElseThrow(() -> new ToolFailure(failure, cause));
    }

    private static void answer(Socket socket, List<PingPongAddress> mine) throws ToolFailure, IOException {
        socket.getOutputStream().write(encode(mine));
        byte[] confirmation = new byte[DONE.length];
        if (read(socket, confirmation) < DONE.length || !Arrays.equals(confirmation, DONE)) {
            throw new ToolFailure("Couldn't send/recv local address");
        }
    }

    private static byte[] encode(List<PingPongAddress> addresses) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        addresses.forEach(address -> bytes.writeBytes(address.encode()));
        return bytes.toByteArray();
    }

    /** Reads until {@code message} is full or the peer has closed the connection. */
    private static int read(Socket socket, byte[] message) throws IOException {
        InputStream in = socket.getInputStream();
        return in.readNBytes(message, 0, message.length);
    }
}
