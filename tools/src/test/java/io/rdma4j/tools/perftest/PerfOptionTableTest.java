// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.tools.cli.OptionTable;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PerfOptionTableTest {
    private static final PerfTest WRITE_BW = new PerfTest(Verb.WRITE, Measure.BANDWIDTH);
    private static final PerfTest SEND_BW = new PerfTest(Verb.SEND, Measure.BANDWIDTH);
    private static final PerfTest SEND_LAT = new PerfTest(Verb.SEND, Measure.LATENCY);

    static PerfOptions parse(PerfTest test, String... words) {
        PerfOptionTable table = new PerfOptionTable(test);
        return table.of(new OptionTable(table.options()).parse(words));
    }

    @ParameterizedTest
    @CsvSource({
        "SEND, LATENCY, 2, 1000, 1, 512, 236",
        "SEND, BANDWIDTH, 65536, 1000, 128, 512, 0",
        "WRITE, LATENCY, 2, 1000, 1, 1, 220",
        "WRITE, BANDWIDTH, 65536, 5000, 128, 1, 0",
        "READ, LATENCY, 2, 1000, 1, 1, 0",
        "READ, BANDWIDTH, 65536, 1000, 128, 1, 0",
        "ATOMIC, LATENCY, 8, 1000, 1, 1, 0",
        "ATOMIC, BANDWIDTH, 8, 1000, 128, 1, 0"
    })
    void defaultsAreThoseOfTheOriginal(
            Verb verb, Measure measure, int size, int iterations, int txDepth, int rxDepth, int inline) {
        PerfOptions options = parse(new PerfTest(verb, measure));
        assertThat(options.tcpPort()).isEqualTo(18515);
        assertThat(options.connection().service()).isEqualTo(QpType.RC);
        assertThat(options.load().sizeBytes()).isEqualTo(size);
        assertThat(options.load().iterations()).isEqualTo(iterations);
        assertThat(options.load().txDepth()).isEqualTo(txDepth);
        assertThat(options.load().rxDepth()).isEqualTo(rxDepth);
        assertThat(options.load().inlineBytes()).isEqualTo(inline);
        assertThat(options.load().queuePairs()).isEqualTo(1);
        assertThat(options.connection().timeout()).isEqualTo(14);
    }

    @Test
    void aTestIsNamedByWhatItDoesAndMeasures() {
        assertThat(WRITE_BW.name()).isEqualTo("ib_write_bw");
        assertThat(SEND_LAT.name()).isEqualTo("ib_send_lat");
    }

    @Test
    void optionsHaveTheOriginalsLetters() {
        PerfOptions options = parse(
                SEND_BW, "-p7", "-drxe0", "-i2", "-x3", "-cUC", "-m1024", "-n100", "-s64", "-q2", "-t16", "-r32", "-Q4",
                "-b", "-e", "-N", "-S5", "-u10", "-I64", "-F", "-w1.5", "-y2", "host");
        assertThat(options.tcpPort()).isEqualTo(7);
        assertThat(options.device()).isEqualTo("rxe0");
        assertThat(options.connection().port()).isEqualTo(2);
        assertThat(options.connection().gidIndex()).isEqualTo(3);
        assertThat(options.connection().service()).isEqualTo(QpType.UC);
        assertThat(options.connection().mtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(options.load().iterations()).isEqualTo(100);
        assertThat(options.load().sizes(Integer.MAX_VALUE)).containsExactly(64);
        assertThat(options.load().queuePairs()).isEqualTo(2);
        assertThat(options.load().txDepth()).isEqualTo(16);
        assertThat(options.load().rxDepth()).isEqualTo(32);
        assertThat(options.load().cqModeration()).isEqualTo(4);
        assertThat(options.load().bidirectional()).isTrue();
        assertThat(options.events()).isTrue();
        assertThat(options.noPeak()).isTrue();
        assertThat(options.connection().serviceLevel()).isEqualTo(5);
        assertThat(options.connection().timeout()).isEqualTo(10);
        assertThat(options.load().inlineBytes()).isEqualTo(64);
        assertThat(options.limitBandwidth()).isEqualTo(1.5);
        assertThat(options.limitMessageRate()).isEqualTo(2);
        assertThat(options.isClient()).isTrue();
    }

    @Test
    void allSizesArePowersOfTwoUpToALimit() {
        assertThat(parse(WRITE_BW, "-a").load().sizes(Integer.MAX_VALUE))
                .hasSize(23)
                .startsWith(2, 4)
                .endsWith(1 << 23);
        assertThat(parse(SEND_BW, "-a", "-cUD").load().sizes(1024)).endsWith(1024);
    }

    /** Large messages are signalled one by one, small ones once per hundred, lists as a whole. */
    @Test
    void completionsAreModeratedAsInTheOriginal() {
        assertThat(parse(WRITE_BW).load().cqModeration()).isEqualTo(1);
        assertThat(parse(WRITE_BW, "-s8192").load().cqModeration()).isEqualTo(100);
        assertThat(parse(WRITE_BW, "-a").load().cqModeration()).isEqualTo(100);
        assertThat(parse(WRITE_BW, "-s64", "-t16").load().cqModeration()).isEqualTo(16);
        assertThat(parse(WRITE_BW, "-l8").load().cqModeration()).isEqualTo(8);
        assertThat(parse(WRITE_BW, "-l8", "-Q4").load().cqModeration()).isEqualTo(4);
    }

    /**
     * A ping-pong signals each of its SENDs, unless its queue has room for more; other operations are always signalled.
     */
    @Test
    void onlySendsOfALatencyAreModerated() {
        assertThat(parse(SEND_LAT).load().cqModeration()).isEqualTo(1);
        assertThat(parse(SEND_LAT, "-t16").load().cqModeration()).isEqualTo(16);
        assertThat(parse(SEND_LAT, "-t16", "-Q4").load().cqModeration()).isEqualTo(4);
        for (Verb verb : List.of(Verb.WRITE, Verb.READ, Verb.ATOMIC)) {
            assertThatThrownBy(() -> parse(new PerfTest(verb, Measure.LATENCY), "-t16"))
                    .hasMessageStartingWith("there is no option");
        }
    }

    @Test
    void depthsAreNotLargerThanTheTest() {
        assertThat(parse(SEND_BW, "-n10").load().txDepth()).isEqualTo(10);
        assertThat(parse(SEND_BW, "-n10").load().rxDepth()).isEqualTo(10);
        assertThat(parse(SEND_BW, "-D4").load().rxDepth()).isEqualTo(512);
    }

    @Test
    void aDurationHasMargins() {
        PerfOptions options = parse(WRITE_BW, "-D8");
        assertThat(options.isTimed()).isTrue();
        assertThat(options.load().iterations()).isZero();
        assertThat(options.marginS()).isEqualTo(2);
        assertThatThrownBy(() -> parse(WRITE_BW, "-D4", "-f2")).hasMessageContaining("longer than twice --margin=2");
    }

    @ParameterizedTest
    @CsvSource({
        "-T1, --tos works only with --rdma_cm",
        "-R -cUC, UC is not supported in librdmacm",
        "-R -cXRC, --rdma_cm does not go with --connection=XRC",
        "-R -x1, do not go with --rdma_cm",
        "-R --ipv6, do not go with --rdma_cm",
        "-R -T256, --tos=256 is not in",
        "-z -drxe0=udp:lo, need the name of a device"
    })
    void whatRdmaCmCannotIsRefused(String words, String message) {
        assertThatThrownBy(() -> parse(WRITE_BW, words.split(" ")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void queuePairsOfRdmaCmExchangeOverItToo() {
        assertThat(parse(WRITE_BW, "-R").cm()).isEqualTo(new PerfOptions.Cm(true, true, -1));
        assertThat(parse(WRITE_BW, "-R", "-T32").cm()).isEqualTo(new PerfOptions.Cm(true, true, 32));
        assertThat(parse(WRITE_BW, "-z").cm()).isEqualTo(new PerfOptions.Cm(true, false, -1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-O", "--odp"})
    void whatIsNotHereIsRefusedWithAWayOn(String word) {
        assertThatThrownBy(() -> parse(WRITE_BW, word))
                .isInstanceOf(UsageException.class)
                .hasMessageMatching("--\\w[\\w-]* is not supported: .+");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-cUD",
                "-cDC",
                "-n4",
                "-s0",
                "-m1500",
                "-l3",
                "-D4 -a",
                "-D4 -e",
                "-l8 -Q3 -n80",
                "-wfast",
                "--recv_post_list=3",
                "--write_with_imm --recv_post_list=64 -r 32",
                "--cpu_util",
                "--report-both",
                "-b --reversed",
                "--run_infinitely -a",
                "--run_infinitely --rate_limit=10",
                "--data_validation -a",
                "--data_validation -cUC",
                "--burst_size=4",
                "--rate_limit=3",
                "--rate_limit=10 --burst_size=4",
                "--rate_limit=5 --rate_units=p",
                "--rate_limit=5 --rate_units=q",
                "--output=latency",
                "--retry_count=8"
            })
    void whatMakesNoSenseIsRefused(String words) {
        assertThatThrownBy(() -> parse(WRITE_BW, words.split(" "))).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest
    @CsvSource({"LATENCY, -q2", "LATENCY, -b", "LATENCY, -l2", "LATENCY, -N"})
    void whatMeasuresBandwidthIsNoOptionOfALatency(Measure measure, String word) {
        assertThatThrownBy(() -> parse(new PerfTest(Verb.READ, measure), word))
                .hasMessageStartingWith("there is no option");
    }

    @Test
    void aRateIsThatOfTheDeviceOrOfTheProgram() {
        assertThat(parse(WRITE_BW).pacing()).isEqualTo(PerfOptions.Pacing.NONE);
        assertThat(parse(WRITE_BW, "--rate_limit=10").pacing().device()).isEqualTo(Rate.GBPS_10);
        assertThat(parse(WRITE_BW, "--rate_limit=2.5").pacing().device()).isEqualTo(Rate.GBPS_2_5);
        assertThat(parse(WRITE_BW, "--rate_limit=56").pacing().device()).isEqualTo(Rate.GBPS_56);
        PerfOptions.Pacing program = parse(WRITE_BW, "--rate_limit=8", "--rate_limit_type=SW", "--burst_size=5")
                .pacing();
        assertThat(program.device()).isEqualTo(Rate.PORT_CURRENT);
        assertThat(program.burst()).isEqualTo(5);
        assertThat(program.messagesPerSecond(1000)).isEqualTo(1e6);
        assertThat(parse(WRITE_BW, "--rate_limit=3", "--rate_units=M", "--rate_limit_type=SW")
                        .pacing()
                        .messagesPerSecond(1 << 20))
                .isEqualTo(3);
        assertThat(parse(WRITE_BW, "--rate_limit=7", "--rate_units=p", "--rate_limit_type=SW")
                        .pacing()
                        .messagesPerSecond(64))
                .isEqualTo(7);
    }

    @Test
    void whatIsWrittenWithImmediateDataConsumesReceives() {
        assertThat(parse(WRITE_BW).load().consumesReceives()).isFalse();
        assertThat(parse(WRITE_BW, "--write_with_imm").load().consumesReceives())
                .isTrue();
        assertThat(parse(WRITE_BW, "--write_with_imm").load().rxDepth()).isEqualTo(512);
        assertThat(parse(SEND_BW, "--send_with_imm").load().immediate()).isTrue();
    }

    @Test
    void theServerSendsIfTheDirectionIsReversed() {
        assertThat(parse(WRITE_BW, "host").isSender()).isTrue();
        assertThat(parse(WRITE_BW, "--reversed", "host").isSender()).isFalse();
        assertThat(parse(WRITE_BW, "--reversed").isSender()).isTrue();
    }

    @Test
    void aTestThatRunsInfinitelyIsToldEachFiveSeconds() {
        assertThat(parse(WRITE_BW, "--run_infinitely").durationS()).isEqualTo(5);
        assertThat(parse(WRITE_BW, "--run_infinitely", "-D2").durationS()).isEqualTo(2);
        assertThat(parse(WRITE_BW, "--run_infinitely").marginS()).isZero();
        assertThatThrownBy(() -> parse(SEND_BW, "--run_infinitely", "-b")).hasMessageContaining("--run_infinitely");
    }

    @Test
    void multicastIsForDatagramsInOneDirection() {
        assertThat(parse(SEND_BW, "-cUD", "-g").connection().multicast()).isEqualTo(Gid.ZERO);
        assertThat(parse(SEND_BW, "-cUD", "-M", "ff0e::1").connection().multicast())
                .isEqualTo(Gid.parse("ff0e::1"));
        for (String words : List.of("-g", "-cUD -g -b", "-cUD -g -q2", "-cUD -M here")) {
            assertThatThrownBy(() -> parse(SEND_BW, words.split(" "))).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void theSizeOfAnAtomicIsGiven() {
        PerfTest atomic = new PerfTest(Verb.ATOMIC, Measure.BANDWIDTH);
        assertThatThrownBy(() -> parse(atomic, "-s16")).hasMessage("there is no option -s");
        assertThat(parse(atomic, "-A", "CMP_AND_SWAP").load().compareSwap()).isTrue();
        assertThatThrownBy(() -> parse(atomic, "-A", "XCHG")).hasMessageContaining("neither CMP_AND_SWAP nor");
    }
}
