// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/** Runs contenders. All processes of a run have ended when the run ends. */
final class Measurement {
    private static final long READY_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int REASON_CHARS = 120;

    private final long limitNs;

    /** @param limitNs maximum duration of a run; a longer one fails */
    Measurement(long limitNs) {
        this.limitNs = limitNs;
    }

    /**
     * Runs a contender once.
     *
     * @return the result, without its place
     * @throws IOException with the reason for a missing result
     */
    Sample run(Contender contender) throws IOException, InterruptedException {
        int port = Listeners.freePort();
        if (contender.server().isEmpty()) {
            return client(contender, port);
        }
        Path output = Files.createTempFile("rdma4j-bench", ".txt");
        Process server = start(contender, contender.server(), port, output);
        try {
            if (!Listeners.await(port, server, READY_NS)) {
                throw new IOException("the server did not start: " + lastLine(Files.readString(output)));
            }
            return client(contender, port);
        } finally {
            end(server);
            Files.delete(output);
        }
    }

    private Sample client(Contender contender, int port) throws IOException, InterruptedException {
        Path output = Files.createTempFile("rdma4j-bench", ".txt");
        Process client = start(contender, contender.client(), port, output);
        try {
            if (!client.waitFor(limitNs, TimeUnit.NANOSECONDS)) {
                throw new IOException("no result after " + TimeUnit.NANOSECONDS.toSeconds(limitNs) + " s");
            }
            String text = Files.readString(output);
            OptionalDouble number = contender.reading().in(text);
            if (client.exitValue() != 0 || number.isEmpty()) {
                throw new IOException("exit code " + client.exitValue() + ": " + lastLine(text));
            }
            return new Sample(number.getAsDouble(), contender.reading().tailIn(text), Placement.UNKNOWN);
        } finally {
            end(client);
            Files.delete(output);
        }
    }

    private static Process start(Contender contender, List<String> command, int port, Path output) throws IOException {
        List<String> words = command.stream()
                .map(word -> word.replace(Contender.PORT, Integer.toString(port)))
                .toList();
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(contender.environment());
        return builder.start();
    }

    /** Ends a process and its children, because the process may be a script that waits for the program. */
    private static void end(Process process) throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.waitFor();
    }

    private static String lastLine(String output) {
        String line = output.strip().lines().reduce("it printed nothing", (_, last) -> last);
        return line.length() > REASON_CHARS ? line.substring(0, REASON_CHARS) + "…" : line;
    }
}
