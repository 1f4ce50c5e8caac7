// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Compiles the library and the test programs of {@code src/test/c} once in a JVM, and starts them. */
final class CPrograms {
    private static final Path SOURCES = Path.of("src/test/c").toAbsolutePath();
    private static final Path MAIN_SOURCES = Path.of("src/main/c").toAbsolutePath();
    private static final Path OUT = Path.of("target/native").toAbsolutePath();
    private static final String JDK = System.getProperty("java.home");
    private static final int NO_COMPILER = 3;

    /** A program that takes longer hangs: the longest takes 6 s if other programs keep the CPUs busy. */
    private static final int MAX_SECONDS = 120;

    private static final Map<String, Path> COMPILED = new HashMap<>();

    private CPrograms() {}

    /** Returns the library; skips the test if this machine has no C compiler. */
    static synchronized Path library() throws Exception {
        Path library = OUT.resolve("libibverbs.so.1");
        if (!COMPILED.containsKey("")) {
            Process build = start(List.of(MAIN_SOURCES.resolve("build.sh").toString(), JDK, OUT.toString()), Map.of());
            String said = output(build);
            assumeTrue(build.exitValue() != NO_COMPILER, said);
            assertThat(build.exitValue()).as(said).isZero();
            COMPILED.put("", library);
        }
        return library;
    }

    /** Compiles a program of {@code src/test/c} and links it with the library. */
    private static synchronized Path compile(String name, List<String> options) throws Exception {
        Path library = library();
        Path program = OUT.resolve(name + String.join("", options));
        if (COMPILED.put(program.toString(), program) == null) {
            List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"));
            command.addAll(options);
            command.addAll(List.of("-I" + MAIN_SOURCES, "-o", program.toString()));
            command.addAll(List.of(SOURCES.resolve(name + ".c").toString(), library.toString(), "-ldl", "-lpthread"));
            succeed(start(command, Map.of()));
        }
        return program;
    }

    /**
     * Starts a program of {@code src/test/c} with the environment that {@code ./rdma4j run} sets: one device on the
     * loopback interface, over sockets.
     */
    static Process start(String name, String... arguments) throws Exception {
        return start(name, Map.of(), arguments);
    }

    /** Starts a program with more variables in its environment. */
    static Process start(String name, Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(compile(name, List.of()).toString()));
        command.addAll(List.of(arguments));
        return start(command, environment);
    }

    private static Process start(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "RDMA4J_JAVA_HOME",
                        JDK,
                        "RDMA4J_CLASS_PATH",
                        System.getProperty("java.class.path"),
                        "RDMA4J_JVM_OPTIONS",
                        "-XX:TieredStopAtLevel=1",
                        "RDMA4J_DROPIN_TRACE",
                        "on",
                        "RDMA4J_DEVICES",
                        "drop0=udp:lo",
                        "RDMA4J_SHM",
                        "off",
                        "RDMA4J_RUN",
                        OUT.resolve("run").toString(),
                        "LD_LIBRARY_PATH",
                        OUT.toString()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Returns all that a process prints, and waits for its end. A process that does not end is killed. */
    static String output(Process process) throws Exception {
        process.getOutputStream().close();
        CompletableFuture<String> threads = new CompletableFuture<>();
        Thread watch = Thread.ofPlatform().daemon().start(() -> threads.complete(threadsAfter(process, MAX_SECONDS)));
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        watch.join();
        assertThat(threads.join())
                .as("threads of %s after %d s; its output: %s", process.info().command(), MAX_SECONDS, text)
                .isEmpty();
        return text;
    }

    /**
     * Waits for the end of a process. If it does not end, kills it and returns its threads: name, state, and the kernel
     * function in which each waits.
     */
    private static String threadsAfter(Process process, int seconds) {
        try {
            if (process.waitFor(seconds, TimeUnit.SECONDS)) {
                return "";
            }
            StringBuilder text = new StringBuilder();
            try (Stream<Path> tasks = Files.list(Path.of("/proc", String.valueOf(process.pid()), "task"))) {
                for (Path task : (Iterable<Path>) tasks::iterator) {
                    text.append(Files.readString(task.resolve("stat")).replaceFirst("^\\d+ (\\(.*\\) .) .*\\R", "$1 "))
                            .append(Files.readString(task.resolve("wchan")))
                            .append('\n');
                }
            }
            return text.toString();
        } catch (IOException | InterruptedException e) {
            return e.toString();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Runs a program that checks itself, and returns its output. */
    static String run(String name) throws Exception {
        return run(name, Map.of());
    }

    /** Runs a program with more variables in its environment. */
    static String run(String name, Map<String, String> environment) throws Exception {
        return succeed(start(List.of(compile(name, List.of()).toString()), environment));
    }

    /** Runs a program that was compiled with these options. */
    static String run(String name, List<String> options) throws Exception {
        return succeed(start(List.of(compile(name, options).toString()), Map.of()));
    }

    private static String succeed(Process process) throws Exception {
        String text = output(process);
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }

    /** Runs a program with input. */
    static String feed(String name, String input, String... arguments) throws Exception {
        Process process = start(name, arguments);
        process.outputWriter().append(input).flush();
        return output(process);
    }
}
