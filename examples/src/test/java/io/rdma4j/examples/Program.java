// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program in a separate JVM, as a user starts it: on the class path, which is that of the tests. */
final class Program implements AutoCloseable {
    private static final int TIMEOUT_S = 60;

    private final Process process;
    private final BufferedReader out;

    private Program(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** @param arguments the main class and its arguments */
    static Program start(String classPath, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dstdout.encoding=UTF-8",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath));
        words.addAll(List.of(arguments));
        return new Program(new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Class path of the program: that of the tests. */
    static String classPath() {
        return System.getProperty("java.class.path");
    }

    /** Returns the next line of its output. */
    String line() throws IOException {
        return String.valueOf(out.readLine());
    }

    /** Returns the remaining lines of its output; it must end with exit code 0. */
    List<String> lines() throws InterruptedException {
        assertThat(process.waitFor(TIMEOUT_S, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(process.exitValue()).isZero();
        return out.lines().toList();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
