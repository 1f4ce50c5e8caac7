// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.bench.count.InstructionCounts;
import io.rdma4j.bench.count.Subject;
import io.rdma4j.bench.count.trace.TracingRefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts the queue layer in a JVM with the agent. */
@Timeout(120)
class InstructionProfileTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void theInstructionsOfTheQueueLayerAreThoseOfTheRings() throws IOException, InterruptedException {
        assumeTrue(InstructionCounts.missing() == null, "instructions cannot be counted here");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/cc")), "no C compiler");
        InstructionProfile profile = InstructionProfile.build(ROOT);
        StringWriter out = new StringWriter();
        try {
            InstructionCounts.of(Subject.RINGS, 3, profile);
        } catch (TracingRefusedException refused) {
            abort("the system does not permit to trace a child process: " + refused.getMessage());
        }
        profile.print(new PrintWriter(out));

        List<String> lines =
                out.toString().lines().filter(line -> !line.isEmpty()).toList();
        int whole = number(lines.getFirst().replaceAll(".*: (\\d+) instructions", "$1"));
        List<String[]> rows =
                lines.stream().skip(3).map(line -> line.split(" *\\| *", -1)).toList();
        assertThat(rows.getFirst()[1]).isEqualTo("verbs.spi.ring");
        assertThat(number(rows.getFirst()[2])).isGreaterThan(whole / 2);
        assertThat(rows.getFirst()[4]).containsPattern("[A-Z]\\w+\\.\\w+ \\d+, ");
        assertThat(rows.stream().mapToInt(row -> number(row[2])).sum()).isEqualTo(whole);
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }
}
