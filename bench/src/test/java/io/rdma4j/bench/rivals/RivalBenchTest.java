// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the command in its quick form: every kind of row must give a number or a reason. No time is checked. */
class RivalBenchTest {
    private static final String ONE_OF_EACH_KIND =
            "udp-(pingpong-64|write|rate|events)|cold|first-udp|shm-(pingpong|write)-64|shm-read|jvm|heap";

    @TempDir
    private Path directory;

    @Test
    void everyRowHasNumbersOrSaysWhyNot() throws IOException, InterruptedException {
        Path json = directory.resolve("result.json");
        Path page = directory.resolve("result.html");
        StringWriter table = new StringWriter();
        RivalOptions options = new RivalOptions(root(), ONE_OF_EACH_KIND, 1, true, true, tools(), json, page);

        new RivalBench(options, new PrintWriter(table), new PrintWriter(Writer.nullWriter())).run();

        String text = table.toString();
        assertThat(text.lines().filter(line -> line.startsWith("| RDMA WRITE 1 MiB over UDP")))
                .hasSize(1)
                .allSatisfy(line -> assertThat(line).contains("≥ 0.75×"));
        assertThat(text.lines().filter(line -> line.startsWith("* rdma4j:")))
                .as("ours that failed")
                .isEmpty();
        assertThat(Files.readString(json)).contains("\"id\":\"cold\"", "\"samples\":[");
        assertThat(Files.readString(page)).contains("class=\"bar own\"", "class=\"target\"", "<h2>Targets</h2>");
    }

    /** The command line that the launcher would use. The test must not call the launcher, which would build. */
    private static List<String> tools() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.rdma4j.tools.Main");
    }

    private static Path root() {
        return Path.of("..").toAbsolutePath().normalize();
    }
}
