// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import java.io.IOException;
import java.net.InetAddress;
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

    /** Loopback addresses of the two ends of a connection. */
    static final String SERVER = "127.77.0.1";

    static final String CLIENT = "127.77.0.2";

    private static final Duration SERVER_END = Duration.ofSeconds(3);
    private static final int MAX_CLIENTS = 10;
    private static final int ROCE_PORT = 4791;

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
        return start(directory, program, "lo");
    }

    private Running start(Path directory, List<String> program, String address) throws IOException {
        List<String> words = new ArrayList<>(launcher);
        words.addAll(program);
        Path output = Files.createTempFile(scratch, "output", "");
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("RDMA4J_DEVICES", DEVICE + "=udp:" + address);
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
     * Runs a server and a client that connect by rdma_cm, each with a loopback address of its own. The client runs
     * again if it fails because the server does not listen yet, or if the server did not get what it has sent.
     */
    void connectedPair(List<String> server, List<String> client) throws IOException, InterruptedException, CaseFailure {
        Running serving = start(scratch, server, SERVER);
        try {
            awaitDevice(serving);
            boolean isDone = false;
            for (int i = 0; i < MAX_CLIENTS && serving.process.isAlive(); i++) {
                isDone |= runClient(serving, client);
                serving.process.waitFor(SERVER_END.toMillis(), TimeUnit.MILLISECONDS);
            }
            int serverCode = await(serving, SERVER_END);
            if (serverCode != 0 || !isDone) {
                throw new CaseFailure("server: exit code " + serverCode + ": " + serving.tail());
            }
        } finally {
            serving.process.destroyForcibly();
        }
    }

    /** As {@link #connectedPair}, with a server that does not end: it is killed after a client has succeeded. */
    void clientOf(List<String> server, List<String> client) throws IOException, InterruptedException, CaseFailure {
        Running serving = start(scratch, server, SERVER);
        try {
            awaitDevice(serving);
            for (int i = 0; i < MAX_CLIENTS; i++) {
                if (runClient(serving, client)) {
                    return;
                }
                serving.process.waitFor(1, TimeUnit.SECONDS);
            }
            throw new CaseFailure("no client succeeds; server: " + serving.tail());
        } finally {
            serving.process.destroyForcibly().waitFor();
        }
    }

    /** Returns true if the client succeeds. If it does not, the server must go on. */
    private boolean runClient(Running server, List<String> client)
            throws IOException, InterruptedException, CaseFailure {
        Running asking = start(scratch, client, CLIENT);
        int code = await(asking, PAIR_LIMIT);
        if (code != 0 && server.process.waitFor(SERVER_END.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new CaseFailure("client: exit code " + code + ": " + asking.tail() + "; server: " + server.tail());
        }
        return code == 0;
    }

    private static void awaitDevice(Running server) throws IOException, InterruptedException, CaseFailure {
        byte[] ip = InetAddress.getByName(SERVER).getAddress();
        String bound = String.format(Locale.ROOT, ": %02X%02X%02X%02X:%04X ", ip[3], ip[2], ip[1], ip[0], ROCE_PORT);
        awaitSocket(server, "has no device", Pattern.compile(bound), List.of("/proc/net/udp"));
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
        awaitSocket(server, "does not listen", listening, List.of("/proc/net/tcp", "/proc/net/tcp6"));
    }

    /** Waits until a line of the kernel's tables of sockets has the pattern. */
    private static void awaitSocket(Running server, String lack, Pattern line, List<String> tables)
            throws IOException, InterruptedException, CaseFailure {
        long startNs = System.nanoTime();
        while (!isThere(line, tables)) {
            if (!server.process.isAlive() || System.nanoTime() - startNs > LISTEN_LIMIT.toNanos()) {
                throw new CaseFailure("server: " + lack + ": " + server.tail());
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static boolean isThere(Pattern line, List<String> tables) throws IOException {
        for (String table : tables) {
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
