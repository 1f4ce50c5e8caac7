// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

import io.rdma4j.interop.lab.LabException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process whose output goes to a file. Its standard input stays open until it is closed. */
final class RunningProgram implements AutoCloseable {
    private static final long POLL_NS = Duration.ofMillis(20).toNanos();

    private final String name;
    private final Path output;
    private final Process process;

    /** @param directory working directory, in which the file of the output is made */
    RunningProgram(List<String> words, Map<String, String> environment, Path directory) throws IOException {
        this.name = String.join(" ", words);
        this.output = Files.createTempFile(directory, "program", ".out");
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        this.process = builder.start();
    }

    String text() throws IOException {
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    /** Writes a line to the standard input. */
    void type(String line) throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    }

    /** Waits until the output has a text, and returns the first match. */
    Matcher await(Pattern pattern, Duration limit) throws IOException {
        long endNs = System.nanoTime() + limit.toNanos();
        while (true) {
            boolean isAlive = process.isAlive();
            Matcher found = pattern.matcher(text());
            if (found.find()) {
                return found;
            }
            if (!isAlive || System.nanoTime() - endNs > 0) {
                throw new LabException("'" + name + "' did not print " + pattern + ": " + text());
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** Waits for the end; returns the exit code, which must come in time. */
    int await(Duration limit) throws IOException, InterruptedException {
        if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new LabException("'" + name + "' did not end: " + text());
        }
        return process.exitValue();
    }

    /** Kills it ({@code kill -9}). */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(1, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
