// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Starts programs with the drop-in library, and reads what they print. One thread. */
public final class ProgramRunner {
    /** The device that the programs get. */
    static final String DEVICE = "rxe_lo";

    private static final Duration LISTEN_LIMIT = Duration.ofSeconds(60);
    private static final Duration PAIR_LIMIT = Duration.ofMinutes(2);
    private static final int TAIL = 600;

    private final List<String> launcher;
    private final Map<String, String> environment;
    private final Path scratch;
    private int port;

    /**
     * @param launcher words before the program and its arguments
     * @param environment variables to set
     * @param scratch an empty directory: run directory and output of the programs
     */
    public ProgramRunner(List<String> launcher, Map<String, String> environment, Path scratch) {
        this.launcher = List.copyOf(launcher);
        this.environment = Map.copyOf(environment);
        this.scratch = scratch;
        this.port = 20_000 + (int) (ProcessHandle.current().pid() % 20_000);
    }

    /** A program with the file that it prints to. */
    private record Running(Process process, Path output) {
        String text() throws IOException {
            return Files.readString(output, StandardCharsets.ISO_8859_1);
        }

        /** The last part of the output, in one line. */
        String tail() throws IOException {
            String text = text().strip().replaceAll("\\s*\\n\\s*", " | ");
            return text.length() <= TAIL ? text : "…" + text.substring(text.length() - TAIL);
        }
    }

    private Running start(Path directory, List<String> program) throws IOException {
        List<String> words = new ArrayList<>(launcher);
        words.addAll(program);
        Path output = Files.createTempFile(scratch, "output", "");
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("RDMA4J_DEVICES", DEVICE + "=udp:lo");
        builder.environment().put("RDMA4J_RUN", scratch.resolve("run").toString());
        return new Running(builder.start(), output);
    }

    /** Runs a program that must succeed; returns what it prints. */
    String run(Duration limit, String... words) throws IOException, InterruptedException, CaseFailure {
        Running running = start(scratch, List.of(words));
        int exitCode = await(running, limit);
        if (exitCode != 0) {
            throw new CaseFailure("exit code " + exitCode + ": " + running.tail());
        }
        return running.text();
    }

    /** Runs a program whose exit code does not matter; returns what it prints. */
    String runAnyway(Duration limit, Path directory, List<String> words)
            throws IOException, InterruptedException, CaseFailure {
        Running running = start(directory, words);
        await(running, limit);
        return running.text();
    }

    private static int await(Running running, Duration limit) throws IOException, InterruptedException, CaseFailure {
        try {
            if (!running.process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new CaseFailure("still runs after " + limit.toSeconds() + " s: " + running.tail());
            }
            return running.process.exitValue();
        } finally {
            running.process.destroyForcibly();
        }
    }

    /** Returns a TCP port for the next pair of programs. */
    int nextPort() {
        return ++port;
    }

    /**
     * Runs a server, and a client once the server listens; both must succeed.
     *
     * @param port TCP port of the server
     * @return what the client prints
     */
    String pair(int port, List<String> server, List<String> client)
            throws IOException, InterruptedException, CaseFailure {
        Running serving = start(scratch, server);
        try {
            awaitListening(serving, port);
            Running asking = start(scratch, client);
            int clientCode = await(asking, PAIR_LIMIT);
            if (clientCode != 0) {
                throw new CaseFailure(
                        "client: exit code " + clientCode + ": " + asking.tail() + "; server: " + serving.tail());
            }
            int serverCode = await(serving, PAIR_LIMIT);
            if (serverCode != 0) {
                throw new CaseFailure("server: exit code " + serverCode + ": " + serving.tail());
            }
            return asking.text();
        } finally {
            serving.process.destroyForcibly();
        }
    }

    /**
     * Starts a server and kills it once it listens.
     *
     * @param port TCP port of the server
     */
    void kill(int port, List<String> server) throws IOException, InterruptedException, CaseFailure {
        Running serving = start(scratch, server);
        try {
            awaitListening(serving, port);
        } finally {
            serving.process.destroyForcibly().waitFor();
        }
    }

    private static void awaitListening(Running server, int port) throws IOException, InterruptedException, CaseFailure {
        Pattern listening = Pattern.compile(String.format(Locale.ROOT, ":%04X [0-9A-F]+:0000 0A ", port));
        long startNs = System.nanoTime();
        while (!isListening(listening)) {
            if (!server.process.isAlive() || System.nanoTime() - startNs > LISTEN_LIMIT.toNanos()) {
                throw new CaseFailure("server: does not listen: " + server.tail());
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static boolean isListening(Pattern line) throws IOException {
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.exists(Path.of(table))
                    && line.matcher(Files.readString(Path.of(table))).find()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the files that the programs have left in the run directory. */
    List<String> leftovers() throws IOException {
        Path run = scratch.resolve("run");
        if (!Files.exists(run)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(run)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> run.relativize(file).toString())
                    .filter(name -> !name.endsWith("abi_version"))
                    .sorted()
                    .toList();
        }
    }
}
