// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.subnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark of subnets works; what it measures is another matter. */
class SubnetBenchTest {
    @Test
    void aTreeOfTenNodesIsMeasured(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("subnets.json");
        StringWriter table = new StringWriter();
        new SubnetBench(true, false, new PrintWriter(table), new PrintWriter(Writer.nullWriter())).run(json);

        assertThat(table.toString().lines()).hasSize(2);
        assertThat(Files.readString(json))
                .startsWith("{\"10\":{\"first_sweep_ms\":")
                .contains("packets_per_second");
    }
}
