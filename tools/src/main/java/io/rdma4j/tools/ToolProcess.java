// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs a tool in a separate process with a JVM like this one: same executable, same options, same classes.
 *
 * <p>Passes on its standard output and error output line by line. The process ends when this object is closed or this
 * JVM ends.
 */
public final class ToolProcess implements AutoCloseable {
    /** By name, because the table of the tools depends on this class. */
    private static final String MAIN = ToolProcess.class.getPackageName() + ".Main";

    private final String label;
    private final Process process;
    private final PrintWriter out;
    private final Thread reader;
    private final Thread killer;
    private final List<String> lines = new ArrayList<>();

    /**
     * Starts a tool.
     *
     * @param label prefix of each line
     * @param out receives the lines in a separate thread
     * @param words command line after {@code ./rdma4j}
     */
    static ToolProcess tool(String label, PrintWriter out, List<String> words) throws IOException {
        List<String> command = jvm();
        command.addAll(words);
        return start(label, out, command);
    }

    /** Starts a command in the same way. */
    static ToolProcess start(String label, PrintWriter out, List<String> command) throws IOException {
        return new ToolProcess(
                label, new ProcessBuilder(command).redirectErrorStream(true).start(), out);
    }

    private ToolProcess(String label, Process process, PrintWriter out) {
        this.label = label;
        this.process = process;
        this.out = out;
        this.reader =
                Thread.ofPlatform().daemon().name("output of the " + label).start(this::read);
        this.killer = Thread.ofPlatform().name("end of the " + label).unstarted(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /** Returns the command line that starts {@code Main}, without arguments. */
    public static List<String> jvm() {
        List<String> words = new ArrayList<>();
        words.add(ProcessHandle.current()
                .info()
                .command()
                .orElseGet(() ->
                        Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            // A debugger has one port; the module options are added below.
            if (!option.startsWith("-agentlib:jdwp")
                    && !option.startsWith("-Djdk.module.")
                    && !option.startsWith("--module-path")) {
                words.add(option);
            }
        }
        Module module = ToolProcess.class.getModule();
        String modulePath = System.getProperty("jdk.module.path");
        if (module.isNamed() && modulePath != null) {
            words.addAll(List.of("--module-path", modulePath));
            words.addAll(List.of("--module", module.getName() + "/" + MAIN));
        } else {
            words.addAll(List.of("--class-path", System.getProperty("java.class.path"), MAIN));
        }
        return words;
    }

    private void read() {
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                out.println(label + " | " + line);
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException e) {
            out.println(label + " | (" + e.getMessage() + ")");
        }
    }

    /** Waits for a line that contains {@code text}; empty if the process ends or the timeout elapses before. */
    Optional<String> awaitLine(String text, long timeoutNs) throws InterruptedException {
        long end = System.nanoTime() + timeoutNs;
        synchronized (lines) {
            while (true) {
                String line = find(text);
                long leftNs = end - System.nanoTime();
                if (line != null || leftNs <= 0 || !reader.isAlive()) {
                    return Optional.ofNullable(line);
                }
                // The timeout is limited, because the end of the process does not notify this monitor.
                lines.wait(Math.min(TimeUnit.NANOSECONDS.toMillis(leftNs) + 1, 100));
            }
        }
    }

    private @Nullable String find(String text) {
        for (String line : lines) {
            if (line.contains(text)) {
                return line;
            }
        }
        return null;
    }

    /** Waits for the end of the process and its last line; empty if the timeout elapses before. */
    OptionalInt awaitExit(long timeoutNs) throws InterruptedException {
        if (!process.waitFor(timeoutNs, TimeUnit.NANOSECONDS)) {
            return OptionalInt.empty();
        }
        reader.join();
        return OptionalInt.of(process.exitValue());
    }

    /** Kills it immediately, as a crash would. */
    void kill() {
        process.destroyForcibly();
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException _) {
            // The JVM is shutting down and runs the hook.
        }
    }
}
