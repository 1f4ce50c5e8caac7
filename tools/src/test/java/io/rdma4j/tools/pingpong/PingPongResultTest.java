// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.testing.ledger.Covers;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PingPongResultTest {
    @ParameterizedTest
    @CsvSource({
        "61842000, 8192000 bytes in 0.06 seconds = 1059.73 Mbit/sec, 1000 iters in 0.06 seconds = 61.84 usec/iter",
        "61689000, 8192000 bytes in 0.06 seconds = 1062.36 Mbit/sec, 1000 iters in 0.06 seconds = 61.69 usec/iter"
    })
    @Covers("TOOL-16")
    void theLinesAreThoseThatTheDocumentsShow(long elapsedNs, String throughput, String latency) {
        assertThat(new PingPongResult(4096, 1000, elapsedNs, null, new BitSet()).lines())
                .containsExactly(throughput, latency);
    }

    @Test
    void bytesDoNotWrap() {
        assertThat(new PingPongResult(Integer.MAX_VALUE, 1000, 1, null, new BitSet()).bytes())
                .isEqualTo(4_294_967_294_000L);
    }

    @Test
    void timesBetweenReceiveCompletionsFollow() {
        ReceiveTimes times = new ReceiveTimes();
        times.add(1000);
        times.add(1100);
        times.add(1350);
        assertThat(new PingPongResult(1, 3, 1000, times, new BitSet()).lines())
                .endsWith(
                        "Max receive completion clock cycles = 250",
                        "Min receive completion clock cycles = 100",
                        "Average receive completion clock cycles = 175.000000");
    }

    @Test
    void oneReceiveHasNoTimeBetween() {
        ReceiveTimes times = new ReceiveTimes();
        times.add(1000);
        assertThat(times.lines()).isEmpty();
    }

    @Test
    void wrongPagesFollowAndMakeTheResultInvalid() {
        BitSet pages = new BitSet();
        pages.set(2);
        pages.set(7);
        PingPongResult result = new PingPongResult(65536, 1, 1000, null, pages);
        assertThat(result.lines()).endsWith("invalid data in page 2", "invalid data in page 7");
        assertThat(result.valid()).isFalse();
    }

    @Test
    void jsonHasTheSameNumbers() {
        assertThat(Json.text(new PingPongResult(4096, 1000, 61_840_000, null, new BitSet()).json()))
                .startsWith("{\"size\":4096,\"iterations\":1000,\"bytes\":8192000,\"seconds\":0.06184,")
                .contains("\"usec_per_iteration\":61.84,")
                .endsWith("\"invalid_pages\":[]}");
    }
}
