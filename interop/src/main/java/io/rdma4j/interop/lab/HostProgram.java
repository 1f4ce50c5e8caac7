// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** A program of this machine in the lab's network namespace. */
final class HostProgram implements Running {
    private static final long POLL_NS = Duration.ofMillis(20).toNanos();
    private static final String LISTEN = "0A";

    private final Process process;
    private final Path output;

    HostProgram(ProcessBuilder builder, Path output) throws IOException {
        this.output = output;
        this.process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    @Override
    public void awaitListening(int port, Duration limit) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        while (!listens(port)) {
            if (System.nanoTime() > end || !process.isAlive()) {
                throw new LabException("no process listens on port " + port + ": " + text());
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** True if a process of the program's network namespace listens on the port. */
    private boolean listens(int port) throws IOException {
        String local = String.format(Locale.ROOT, ":%04X", port);
        for (String table : new String[] {"tcp", "tcp6"}) {
            Path file = Path.of("/proc", Long.toString(process.pid()), "net", table);
            if (!Files.exists(file)) {
                return false;
            }
            for (String line : Files.readAllLines(file)) {
                String[] words = line.strip().split(" +", -1);
                if (words[1].endsWith(local) && words[3].equals(LISTEN)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public Output await(Duration limit) throws IOException {
        int exitCode = HostCommands.await(process, limit);
        return new Output(exitCode, text());
    }

    private String text() throws IOException {
        return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(output);
    }
}
