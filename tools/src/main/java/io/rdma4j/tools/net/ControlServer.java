// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.base.local.LocalUser;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Accepts commands of other processes of the user for the hosts of a network, and runs one at a time. A request
 * contains a number of words, the host first. The reply contains exit code, output and errors.
 */
final class ControlServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ControlServer.class.getName());
    private static final int MAX_WORDS = 1024;
    private static final int REFUSED = 1;

    /** Maximum time from the connection to the complete request. */
    private static final long COMMAND_LIMIT_S = 10;

    private static final long ACCEPT_PAUSE_NS = 50_000_000;

    /** Held while a command runs. */
    private final ReentrantLock running = new ReentrantLock();

    private final CommandRunner commands;
    private final Path path;
    private final ServerSocketChannel server;

    /** Runs a command of another process. */
    @FunctionalInterface
    interface CommandRunner {
        /**
         * Runs a command.
         *
         * @return exit code
         * @throws RdmaException if there is no such host
         */
        int run(HostTask task, PrintWriter out, PrintWriter err);
    }

    private ControlServer(CommandRunner commands, Path path, ServerSocketChannel server) {
        this.commands = commands;
        this.path = path;
        this.server = server;
    }

    /**
     * Starts to listen in a separate thread.
     *
     * @param commands runs one command at a time
     */
    static ControlServer open(CommandRunner commands) throws IOException {
        Path path = ControlSockets.of(ProcessHandle.current().pid());
        ControlServer control = new ControlServer(commands, path, LocalDirectory.listen(path, 0));
        Thread.ofPlatform().daemon().name("network control").start(control::serve);
        return control;
    }

    private void serve() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                Thread.ofVirtual().name("network command").start(() -> serve(client));
            } catch (ClosedChannelException e) {
                // The network is closed.
                return;
            } catch (IOException e) {
                // EMFILE: the client waits until other clients have disconnected.
                LockSupport.parkNanos(ACCEPT_PAUSE_NS);
            }
        }
    }

    /**
     * Serves one client. A client that sends no complete request is disconnected after {@link #COMMAND_LIMIT_S}. It
     * does not block other clients.
     */
    private void serve(SocketChannel client) {
        CompletableFuture<@Nullable Void> received = new CompletableFuture<>();
        try (client) {
            LocalUser.checkPeer(client);
            var _ = received.orTimeout(COMMAND_LIMIT_S, TimeUnit.SECONDS).whenComplete((_, late) -> {
                if (late != null) {
                    close(client);
                }
            });
            List<String> words = receive(client);
            received.complete(null);
            answer(client, words);
        } catch (EOFException e) {
            // A process that looks for networks connects and sends nothing.
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a command from another process was cut short", e);
        } finally {
            received.complete(null);
        }
    }

    private static void close(SocketChannel client) {
        try {
            client.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client cannot be disconnected", e);
        }
    }

    private static List<String> receive(SocketChannel client) throws IOException {
        DataInputStream in = new DataInputStream(Channels.newInputStream(client));
        int count = in.readInt();
        if (count < 2 || count > MAX_WORDS) {
            throw new IOException(count + " words are no command");
        }
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            words.add(in.readUTF());
        }
        return words;
    }

    private void answer(SocketChannel client, List<String> words) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = run(words, new PrintWriter(out), new PrintWriter(err));
        DataOutputStream reply = new DataOutputStream(Channels.newOutputStream(client));
        reply.writeInt(exit);
        writeText(reply, out.toString());
        writeText(reply, err.toString());
        reply.flush();
    }

    private int run(List<String> words, PrintWriter out, PrintWriter err) {
        running.lock();
        try {
            return commands.run(new HostTask(words.getFirst(), words.subList(1, words.size())), out, err);
        } catch (RdmaException e) {
            err.println(e.getMessage());
            err.flush();
            return REFUSED;
        } finally {
            running.unlock();
        }
    }

    /** Writes text of any length; {@code writeUTF} limits it to 65535 bytes. */
    private static void writeText(DataOutputStream to, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.writeInt(bytes.length);
        to.write(bytes);
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
