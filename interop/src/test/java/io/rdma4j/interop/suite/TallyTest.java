// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.interop.lab.LabException;
import io.rdma4j.interop.lab.Talk;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.interop.suite.Scenario.Skipped;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the conditions for packets that the rdma4j side has accepted. */
class TallyTest {
    private final Tally tally = new Tally();

    /** A process that returns its counters once; without a reply it has ended. */
    private static Side side(String... answers) throws IOException {
        Deque<String> lines = new ArrayDeque<>(List.of("ready"));
        lines.addAll(List.of(answers));
        return new Side("ours", "", new Talk() {
            @Override
            public void send(String text) {}

            @Override
            public String receive(Duration limit) throws IOException {
                if (lines.isEmpty()) {
                    throw new LabException("gone");
                }
                return lines.remove();
            }

            @Override
            public void close() {}
        });
    }

    private void add(int taken, int solved, int refused) throws IOException {
        String counters = "rcvd_pkts=" + taken + " rcvd_solved_ip_id=" + solved + " rx_icrc_encapsulated=" + refused;
        tally.add(side("ok " + counters));
    }

    @Test
    void identificationsAreSolvedWhereTheyAreHiddenAndOnlyThere() throws IOException {
        add(10, 3, 0);
        add(5, 4, 0);
        assertThat(tally.judge(true)).startsWith("15 packets").contains(" 7 with solved identification");
        assertThatThrownBy(() -> tally.judge(false)).isInstanceOf(Mismatch.class);
    }

    @Test
    void aWrongIcrcIsAMismatch() throws IOException {
        add(10, 0, 1);
        assertThatThrownBy(() -> tally.judge(false))
                .isInstanceOf(Mismatch.class)
                .hasMessageContaining("1 with wrong");
    }

    @Test
    void aProcessThatFailedIsNotCounted() throws IOException {
        tally.add(side());
        assertThatThrownBy(() -> tally.judge(true)).isInstanceOf(Skipped.class);
    }
}
