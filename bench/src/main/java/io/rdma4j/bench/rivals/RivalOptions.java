// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of the benchmark.
 *
 * @param root of the project
 * @param rows regular expression for the rows
 * @param runs number of rounds
 * @param quick short runs as a test of the benchmark
 * @param alone without other programs: this project and the limits only
 * @param tools the command line that starts the tools, without the name of a tool
 * @param json file for the document; null for none
 * @param report file for the page; null for none
 */
public record RivalOptions(
        Path root,
        String rows,
        int runs,
        boolean quick,
        boolean alone,
        List<String> tools,
        @Nullable Path json,
        @Nullable Path report) {}
