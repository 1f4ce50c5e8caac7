// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs a tool in a thread of the test's JVM and keeps its output. */
final class ToolThread {
    private static final long LIMIT_MS = TimeUnit.MINUTES.toMillis(2);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Thread thread;
    private int exitCode = -1;

    private ToolThread(String[] words) {
        Main main = new Main(new PrintWriter(out, true), new PrintWriter(err, true));
        thread = Thread.ofPlatform().daemon().name(words[0]).unstarted(() -> exitCode = main.run(words));
    }

    static ToolThread start(String... words) {
        ToolThread tool = new ToolThread(words);
        tool.thread.start();
        return tool;
    }

    /** {@code ibv_rc_pingpong} on the first free loopback address. */
    static ToolThread pingPong(int port, String... words) {
        return peer("ibv_rc_pingpong", port, words);
    }

    /** One end of a tool with two, on the first free loopback address. */
    static ToolThread peer(String tool, int port, String... words) {
        String[] first = {tool, "--device", "rxe0=udp:lo", "-p", Integer.toString(port)};
        return start(Stream.concat(Stream.of(first), Stream.of(words)).toArray(String[]::new));
    }

    /** Waits until {@code text} was printed. */
    ToolThread awaitOutput(String text) throws InterruptedException {
        while (!out.toString().contains(text)) {
            if (!thread.isAlive()) {
                throw new AssertionError("ended without printing \"" + text + "\": " + out + err);
            }
            thread.join(10);
        }
        return this;
    }

    /** Interrupts the tool like a signal. */
    void interrupt() {
        thread.interrupt();
    }

    /** Waits for the end. */
    int exitCode() throws InterruptedException {
        thread.join(LIMIT_MS);
        if (thread.isAlive()) {
            throw new AssertionError("still running: " + out + err);
        }
        return exitCode;
    }

    List<String> out() {
        return out.toString().lines().toList();
    }

    List<String> err() {
        return err.toString().lines().toList();
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
