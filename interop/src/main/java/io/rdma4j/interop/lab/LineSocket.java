// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Exchanges lines of text with another process over a Unix socket. One thread. */
public final class LineSocket implements Talk {
    private static final int BUFFER_BYTES = 1 << 16;

    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();

    /** @param channel connected; closed with this object */
    public LineSocket(SocketChannel channel) throws IOException {
        this.channel = channel;
        this.selector = Selector.open();
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** Connects to a socket that another process listens on. */
    public static LineSocket connect(Path socket) throws IOException {
        SocketAddress address = UnixDomainSocketAddress.of(socket);
        return new LineSocket(SocketChannel.open(address));
    }

    @Override
    public void send(String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public @Nullable String receive(Duration limit) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            while (in.hasRemaining()) {
                byte next = in.get();
                if (next == '\n') {
                    String line = partial.toString(StandardCharsets.UTF_8);
                    partial.reset();
                    return line;
                }
                partial.write(next);
            }
            long leftMs = (end - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                return null;
            }
            selector.select(leftMs);
            selector.selectedKeys().clear();
            fill();
        }
    }

    private void fill() throws IOException {
        in.clear();
        int count = channel.read(in);
        in.flip();
        if (count < 0) {
            throw new LabException("the process at the other end has gone");
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
