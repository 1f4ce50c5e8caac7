// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the parsing of program output. Some of these programs are seldom installed where tests run. */
class ReadingTest {
    private static final String UCX = """
        +--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
        |    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
        +--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
        Final:                200000      0.125     0.660     0.661       92.44      92.45     1514497     1514498
        """;

    private static final String LIBFABRIC = """
        bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
        4k      20k     =20k     156m        4.45s     36.81     111.27       0.01
        """;

    @Test
    void ucxPrintsHalfARoundTrip() {
        assertThat(RivalCalls.ucxLatency().in(UCX)).hasValue(0.25);
    }

    @Test
    void ucxPrintsMebibytesAndMessages() {
        assertThat(RivalCalls.ucxGigabits().in(UCX)).hasValue(92.45 * 8 * 1048576e-9);
        assertThat(RivalCalls.ucxMillions().in(UCX)).hasValue(1514498 * 1e-6);
    }

    @Test
    void libfabricPrintsHalfARoundTripBeforeItsRate() {
        Contender pingPong = new RivalCalls(List.of(), new Installed(""), JavaRivals.without("not wanted"))
                .libfabric("tcp", "msg", 4096, 20_000);
        assertThat(pingPong.reading().in(LIBFABRIC)).hasValue(222.54);
        assertThat(pingPong.missing()).isEqualTo("fi_pingpong is not installed");
    }

    @Test
    void theLastOfSeveralNumbersCounts() {
        assertThat(Reading.field("rate", 1e-6).in("x rate=5 \ny other_rate=7 rate=2000000"))
                .hasValue(2);
        assertThat(Reading.json("t_typical", 2).in("{\"t_typical\":4.25,\"t_avg\":5}"))
                .hasValue(8.5);
    }

    @Test
    void percentilesAreReadWhereAProgramPrintsThem() {
        assertThat(Reading.times().tailIn("x p50_us=1 p99_us=2 p999_us=3.5 mean_us=1"))
                .isEqualTo(new Tail(2, 3.5));
        assertThat(RivalCalls.toolLatency().tailIn("{\"percentiles_usec\":{\"99.0\":4,\"99.9\":5}}"))
                .isEqualTo(new Tail(8, 10));
        assertThat(RivalCalls.ucxLatency().tailIn(UCX).isKnown()).isFalse();
    }

    @Test
    void whereThereIsNoNumberThereIsNone() {
        assertThat(Reading.field("rate", 1).in("rate=")).isEmpty();
    }
}
