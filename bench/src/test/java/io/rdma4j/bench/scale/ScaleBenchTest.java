// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the command in its quick form. No time is checked. */
class ScaleBenchTest {
    @TempDir
    private Path directory;

    @Test
    void printsALineForEachNumberOfQueuePairsAndDrawsAPage() throws IOException, InterruptedException {
        Path graph = directory.resolve("scale.html");
        StringWriter table = new StringWriter();

        new ScaleBench(true, new PrintWriter(table), new PrintWriter(Writer.nullWriter())).run(null, graph);

        assertThat(table.toString().lines().filter(line -> line.matches("\\| +\\d+ .*")))
                .hasSize(5);
        assertThat(Files.readString(graph)).contains("data-spec=", "heap, idle", "uPlot");
    }
}
