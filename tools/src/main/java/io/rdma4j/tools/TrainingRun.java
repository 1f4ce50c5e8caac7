// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs the command lines of a resource in one process. The JVM records the loaded classes and hot methods and stores
 * them in a cache for a fast start.
 *
 * <p>There are two resources and two caches. {@code training-quick} is for tools that only print; its cache must be
 * small, because the JVM loads all of it at start. {@code training-working} is for tools that transfer data.
 *
 * <p>The launcher calls it after a build, with the name of the resource. Output is discarded and exit codes are
 * ignored, because a tool without results starts in the same way.
 */
public final class TrainingRun {
    private static final String IN_THE_BACKGROUND = "&";
    private static final long TIMEOUT_MS = 10_000;

    private TrainingRun() {}

    /** Entry point of the process. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        for (List<String> command : commands(arguments[0])) {
            if (command.getLast().equals(IN_THE_BACKGROUND)) {
                startServer(command.subList(0, command.size() - 1));
            } else {
                run(command, OutputStream.nullOutputStream());
            }
        }
    }

    private static void run(List<String> command, OutputStream output) {
        PrintWriter writer = new PrintWriter(output, true, StandardCharsets.UTF_8);
        new Main(writer, writer).run(command.toArray(String[]::new));
    }

    /**
     * Returns after the server has printed its first output, because then it is ready. The server ends with this
     * process.
     */
    private static void startServer(List<String> command) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(1);
        OutputStream output = new OutputStream() {
            @Override
            public void write(int octet) {
                ready.countDown();
            }
        };
        Thread.ofPlatform().daemon().name(command.getFirst()).start(() -> run(command, output));
        if (!ready.await(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
            System.err.println("not ready in time: " + String.join(" ", command));
        }
    }

    /** Reads the command lines and splits them at single spaces, without quoting. */
    static List<List<String>> commands(String resource) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(TrainingRun.class.getResourceAsStream(resource), resource),
                StandardCharsets.UTF_8))) {
            return reader.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> List.of(line.split(" ", -1)))
                    .toList();
        }
    }
}
