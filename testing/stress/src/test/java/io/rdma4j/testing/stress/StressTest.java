// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Main;

/** Runs the stress tests of this module in separate JVMs, and fails if one of them has a forbidden outcome. */
class StressTest {
    private static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), name);
    }

    @Test
    void nothingForbiddenIsSeen() throws IOException, InterruptedException {
        Path results = Files.createDirectories(Path.of(property("stress.results")));
        Process jcstress = new ProcessBuilder(List.of(
                        Path.of(property("java.home"), "bin", "java").toString(),
                        "-cp",
                        property("java.class.path"),
                        Main.class.getName(),
                        // One JVM for each test, as applications run: all compilation modes together would take half an
                        // hour.
                        "-f",
                        "1",
                        "-sc",
                        "false",
                        "-jvmArgs",
                        "-XX:+UseParallelGC",
                        "-iters",
                        "1",
                        "-time",
                        property("stress.ms"),
                        // Rings are outside of the heap, so jcstress cannot estimate their memory.
                        "-strideSize",
                        "100",
                        "-t",
                        property("stress.tests"),
                        "-r",
                        results.toString()))
                .directory(results.toFile())
                .redirectErrorStream(true)
                .redirectOutput(results.resolve("output.txt").toFile())
                .start();
        assertThat(jcstress.waitFor())
                .as("exit code of jcstress; its report is in %s", results)
                .isZero();
    }
}
