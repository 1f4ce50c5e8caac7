// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DemoCommandTest {
    @Test
    @Covers({"TOOL-1", "TOOL-2"})
    void bothProcessesAreShownAndTheSummaryComesLast() throws InterruptedException {
        ToolThread demo = ToolThread.start("demo");
        assertThat(demo.exitCode()).as("%s %s", demo.out(), demo.err()).isZero();
        assertThat(demo.err()).isEmpty();
        assertThat(demo.out())
                .startsWith("demo: starting the server")
                .anyMatch(line -> line.startsWith("server |   local address:"))
                .anyMatch(line -> line.startsWith("client |   remote address:"))
                .anyMatch(line -> line.matches("server \\| 8192000 bytes in .*"))
                .anyMatch(line -> line.matches("client \\| 1000 iters in .*"));
        assertThat(demo.out().getLast())
                .matches("demo: every byte was right; .* usec/iter, .* 61\\.7 on another machine: .* times as"
                        + " (fast|long.*)");
    }

    @Test
    void theSummaryComparesWithTheKernel() {
        assertThat(DemoCommand.summary(12.34))
                .isEqualTo("demo: every byte was right; 12.34 usec/iter, where kernel Soft-RoCE printed 61.7 on another"
                        + " machine: 5.00 times as fast");
        assertThat(DemoCommand.summary(123.4)).endsWith(": 2.00 times as long; is this machine busy?");
    }

    @Test
    void argumentsAreRefused() throws InterruptedException {
        assertThat(ToolThread.start("demo", "faster").exitCode()).isEqualTo(2);
    }
}
