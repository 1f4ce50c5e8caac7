// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of this machine to their end. */
final class HostCommands {
    /** Timeout of programs that normally take no time. */
    private static final Duration USUAL = Duration.ofMinutes(2);

    private HostCommands() {}

    /** Runs a program that must succeed; returns its standard output. */
    static String run(List<String> words) throws IOException {
        return run(words, "", USUAL);
    }

    /**
     * Runs a program that must succeed.
     *
     * @param input its standard input
     * @return its standard output
     * @throws LabException with its error output if it fails or takes longer than {@code limit}
     */
    static String run(List<String> words, String input, Duration limit) throws IOException {
        Path out = Files.createTempFile("rdma4j", ".out");
        Path err = Files.createTempFile("rdma4j", ".err");
        try {
            Process process = new ProcessBuilder(words)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            try (var stdin = process.outputWriter(StandardCharsets.UTF_8)) {
                stdin.write(input);
            }
            int exitCode = await(process, limit);
            if (exitCode != 0) {
                throw new LabException(
                        "'" + String.join(" ", words) + "' ended with " + exitCode + ": " + tail(err) + tail(out));
            }
            return Files.readString(out, StandardCharsets.UTF_8);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    /** True if a program succeeds; its output is ignored. */
    static boolean succeeds(List<String> words) {
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
            return await(process, USUAL) == 0;
        } catch (IOException _) {
            return false;
        }
    }

    /** Waits for the end of a process. Kills it after {@code limit}; the exit code is then {@link Output#TIMED_OUT}. */
    static int await(Process process, Duration limit) {
        try {
            if (process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        return Output.TIMED_OUT;
    }

    private static String tail(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        int limit = 2000;
        return text.length() <= limit ? text : "…" + text.substring(text.length() - limit);
    }
}
