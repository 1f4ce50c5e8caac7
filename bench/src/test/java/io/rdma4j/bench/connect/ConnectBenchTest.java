// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the command in its quick form. No time is checked. */
@Timeout(120)
class ConnectBenchTest {
    @TempDir
    private Path directory;

    @Test
    void printsTheStepsOfBothAndTheConnectionsAtOnce() throws Exception {
        Path json = directory.resolve("connect.json");
        StringWriter table = new StringWriter();

        new ConnectBench(true, new PrintWriter(table), new PrintWriter(Writer.nullWriter())).run(json);

        assertThat(table.toString())
                .contains("rdma_cm: ", "TCP: ", "resolve addr", "create qp", "disconnect")
                .contains("20 connections at once");
        assertThat(Files.readString(json)).contains("\"ratio\"", "\"p99_us\"", "\"off_heap\"");
    }
}
