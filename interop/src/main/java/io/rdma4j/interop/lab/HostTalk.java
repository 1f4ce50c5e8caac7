// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A program of this machine that connects to a Unix socket of this process and takes commands over it. */
final class HostTalk implements Talk {
    private static final Duration START = Duration.ofSeconds(60);
    private static final long POLL_NS = Duration.ofMillis(5).toNanos();

    /** Starts the program. */
    @FunctionalInterface
    interface Starter {
        HostProgram start() throws IOException;
    }

    private final HostProgram program;
    private final LineSocket line;

    /** @param socket to which the program connects */
    HostTalk(Path socket, Starter starter) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            server.configureBlocking(false);
            program = starter.start();
            line = new LineSocket(accept(server, program));
        } finally {
            Files.deleteIfExists(socket);
        }
    }

    private static SocketChannel accept(ServerSocketChannel server, HostProgram program) throws IOException {
        long end = System.nanoTime() + START.toNanos();
        while (true) {
            SocketChannel channel = server.accept();
            if (channel != null) {
                return channel;
            }
            if (System.nanoTime() > end || !program.isAlive()) {
                Output output = program.await(Duration.ZERO);
                program.close();
                throw new LabException("our side did not start: " + output);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    @Override
    public void send(String text) throws IOException {
        line.send(text);
    }

    @Override
    public @Nullable String receive(Duration limit) throws IOException {
        return line.receive(limit);
    }

    @Override
    public void close() throws IOException {
        program.close();
        line.close();
    }
}
