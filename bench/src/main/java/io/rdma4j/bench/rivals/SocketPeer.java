// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Locale;

/**
 * A program: ping-pong with the JDK's channels, both ends with busy polling. It represents a Java program without a
 * library; UDP messages are neither acknowledged nor retransmitted.
 */
final class SocketPeer {
    private static final int CLIENT_PORT_STEP = 1;

    private SocketPeer() {}

    /** {@code server|client tcp|udp PORT BYTES COUNT}. */
    public static void main(String[] words) throws IOException {
        boolean server = words[0].equals("server");
        int port = Integer.parseInt(words[2]);
        int bytes = Integer.parseInt(words[3]);
        int count = Integer.parseInt(words[4]);
        try (ByteChannel channel = words[1].equals("tcp") ? tcp(server, port) : udp(server, port)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
            if (server) {
                echo(channel, buffer);
            } else {
                measure(channel, buffer, words[1], count);
            }
        }
    }

    private static ByteChannel tcp(boolean server, int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        SocketChannel channel;
        if (server) {
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(address)) {
                channel = listener.accept();
            }
        } else {
            channel = SocketChannel.open(address);
        }
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        return channel;
    }

    /** Opens the UDP channel. The server listens on the TCP port of the same number when it is ready. */
    @SuppressWarnings("resource") // the listening socket without clients ends with the process
    private static ByteChannel udp(boolean server, int port) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        InetSocketAddress near = new InetSocketAddress(loopback, port);
        InetSocketAddress far = new InetSocketAddress(loopback, port + CLIENT_PORT_STEP);
        DatagramChannel channel = DatagramChannel.open().bind(server ? near : far);
        channel.connect(server ? far : near);
        channel.configureBlocking(false);
        if (server) {
            new ServerSocket(port, 1, loopback);
        }
        return channel;
    }

    private static void echo(ByteChannel channel, ByteBuffer buffer) throws IOException {
        while (receive(channel, buffer)) {
            send(channel, buffer);
        }
    }

    private static void measure(ByteChannel channel, ByteBuffer buffer, String carrier, int count) throws IOException {
        long[] times = new long[count];
        for (int i = -count / 5; i < count; i++) {
            long start = System.nanoTime();
            send(channel, buffer);
            receive(channel, buffer);
            if (i >= 0) {
                times[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(times);
        System.out.printf(
                Locale.ROOT,
                "java_%s bytes=%d p50_us=%.4f p99_us=%.4f p999_us=%.4f%n",
                carrier,
                buffer.capacity(),
                times[count / 2] / 1e3,
                times[(int) (count * 0.99)] / 1e3,
                times[(int) (count * 0.999)] / 1e3);
    }

    private static void send(ByteChannel channel, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /** False at the end of the connection. */
    private static boolean receive(ByteChannel channel, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                return false;
            }
        }
        return true;
    }
}
