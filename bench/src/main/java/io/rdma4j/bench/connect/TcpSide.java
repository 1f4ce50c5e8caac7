// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.connect;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Connections by TCP: a thread accepts, the caller connects. */
final class TcpSide implements AutoCloseable {
    private static final int BACKLOG = 1024;

    private final ServerSocketChannel server;

    TcpSide(InetAddress address) throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(address, 0), BACKLOG);
        Thread.ofVirtual().start(this::serve);
    }

    private void serve() {
        try {
            while (true) {
                // The client closes first, so that its address is in TIME_WAIT, as usual.
                SocketChannel accepted = server.accept();
                Thread.ofVirtual().start(() -> awaitEnd(accepted));
            }
        } catch (IOException _) {
            // The server is closed.
        }
    }

    private static void awaitEnd(SocketChannel accepted) {
        try (accepted) {
            int _ = accepted.read(ByteBuffer.allocate(1));
        } catch (IOException _) {
            // The client has reset the connection.
        }
    }

    Round round(int count) throws IOException {
        Round round = new Round(count);
        for (int i = 0; i < count; i++) {
            long startNs = System.nanoTime();
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            long connectedNs = System.nanoTime();
            client.close();
            round.record("connect", i, connectedNs - startNs);
            round.record("close", i, System.nanoTime() - connectedNs);
        }
        return round;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
