// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Programs over other Java libraries, Aeron and Netty. They are a small separate Maven project in {@code
 * bench/src/peers}. It is built at first use, so that a build of rdma4j does not download these libraries.
 *
 * @param java command line of the JVM, class path included
 * @param missing reason why they cannot run; null if they can
 */
record JavaRivals(List<String> java, @Nullable String missing) {
    /** Aeron's buffers use JDK internals. */
    private static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=true");

    /** Returns no programs, for a run without them. */
    static JavaRivals without(String reason) {
        return new JavaRivals(List.of(), reason);
    }

    /**
     * Builds them unless they are built.
     *
     * @param root of the project
     */
    static JavaRivals build(Path root, Installed installed, PrintWriter log) throws IOException, InterruptedException {
        Path project = root.resolve("bench/src/peers");
        Path target = root.resolve("bench/target/peers");
        Path jar = target.resolve("rdma4j-bench-peers.jar");
        Path classPath = target.resolve("class-path");
        if (!Files.exists(jar) || Files.getLastModifiedTime(jar).compareTo(newest(project)) < 0) {
            if (!installed.has("mvn")) {
                return without("no Maven to fetch it");
            }
            log.println("bench: fetching and building the peers in Java");
            String failure = maven(project);
            if (failure != null) {
                return without("could not be fetched: " + failure);
            }
        }
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(OPTIONS);
        words.addAll(List.of(
                "-cp",
                jar
                        + System.getProperty("path.separator")
                        + Files.readString(classPath).strip()));
        return new JavaRivals(List.copyOf(words), null);
    }

    private static FileTime newest(Path project) throws IOException {
        try (Stream<Path> files = Files.walk(project)) {
            long newest =
                    files.mapToLong(file -> file.toFile().lastModified()).max().orElse(0);
            return FileTime.fromMillis(newest);
        }
    }

    private static @Nullable String maven(Path project) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("mvn", "-q", "-B", "package")
                .directory(project.toFile())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0
                ? null
                : output.lines()
                        .filter(line -> line.startsWith("[ERROR]"))
                        .findFirst()
                        .orElse("mvn failed");
    }
}
