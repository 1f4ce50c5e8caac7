package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Mtu;
import io.rdma4j.tools.cli.OptionTable;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.QpType;
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
        assertThat(options.service()).isEqualTo(QpType.RC);
        assertThat(options.sizeBytes()).isEqualTo(size);
        assertThat(options.iterations()).isEqualTo(iterations);
        assertThat(options.txDepth()).isEqualTo(txDepth);
        assertThat(options.rxDepth()).isEqualTo(rxDepth);
        assertThat(options.inlineBytes()).isEqualTo(inline);
        assertThat(options.queuePairs()).isEqualTo(1);
        assertThat(options.timeout()).isEqualTo(14);
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
        assertThat(options.port()).isEqualTo(2);
        assertThat(options.gidIndex()).isEqualTo(3);
        assertThat(options.service()).isEqualTo(QpType.UC);
        assertThat(options.mtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(options.iterations()).isEqualTo(100);
        assertThat(options.sizes(Integer.MAX_VALUE)).containsExactly(64);
        assertThat(options.queuePairs()).isEqualTo(2);
        assertThat(options.txDepth()).isEqualTo(16);
        assertThat(options.rxDepth()).isEqualTo(32);
        assertThat(options.cqModeration()).isEqualTo(4);
        assertThat(options.bidirectional()).isTrue();
        assertThat(options.events()).isTrue();
        assertThat(options.noPeak()).isTrue();
        assertThat(options.serviceLevel()).isEqualTo(5);
        assertThat(options.timeout()).isEqualTo(10);
        assertThat(options.inlineBytes()).isEqualTo(64);
        assertThat(options.limitBandwidth()).isEqualTo(1.5);
        assertThat(options.limitMessageRate()).isEqualTo(2);
        assertThat(options.isClient()).isTrue();
    }

    @Test
    void allSizesArePowersOfTwoUpToALimit() {
        assertThat(parse(WRITE_BW, "-a").sizes(Integer.MAX_VALUE))
                .hasSize(23)
                .startsWith(2, 4)
                .endsWith(1 << 23);
        assertThat(parse(SEND_BW, "-a", "-cUD").sizes(1024)).endsWith(1024);
    }

    /** Large messages complete one by one, small ones a hundred at a time, lists as a whole. */
    @Test
    void completionsAreModeratedAsInTheOriginal() {
        assertThat(parse(WRITE_BW).cqModeration()).isEqualTo(1);
        assertThat(parse(WRITE_BW, "-s8192").cqModeration()).isEqualTo(100);
        assertThat(parse(WRITE_BW, "-a").cqModeration()).isEqualTo(100);
        assertThat(parse(WRITE_BW, "-s64", "-t16").cqModeration()).isEqualTo(16);
        assertThat(parse(WRITE_BW, "-l8").cqModeration()).isEqualTo(8);
        assertThat(parse(WRITE_BW, "-l8", "-Q4").cqModeration()).isEqualTo(4);
    }

    @Test
    void depthsAreNotLargerThanTheTest() {
        assertThat(parse(SEND_BW, "-n10").txDepth()).isEqualTo(10);
        assertThat(parse(SEND_BW, "-n10").rxDepth()).isEqualTo(10);
        assertThat(parse(SEND_BW, "-D4").rxDepth()).isEqualTo(512);
    }

    @Test
    void aDurationHasMargins() {
        PerfOptions options = parse(WRITE_BW, "-D8");
        assertThat(options.isTimed()).isTrue();
        assertThat(options.iterations()).isZero();
        assertThat(options.marginS()).isEqualTo(2);
        assertThatThrownBy(() -> parse(WRITE_BW, "-D4", "-f2")).hasMessageContaining("longer than twice --margin=2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-R", "-z", "-T1", "-g", "-Mff0e::1", "-O", "-H", "-U", "-C", "--out_json", "--odp"})
    void whatIsNotHereIsRefusedWithAWayOn(String word) {
        assertThatThrownBy(() -> parse(WRITE_BW, word))
                .isInstanceOf(UsageException.class)
                .hasMessageMatching("--\\w[\\w-]* is not supported: .+");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-cUD", "-cXRC", "-n4", "-s0", "-m1500", "-l3", "-D4 -a", "-D4 -e", "-l8 -Q3 -n80", "-wfast"})
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
    void theSizeOfAnAtomicIsGiven() {
        PerfTest atomic = new PerfTest(Verb.ATOMIC, Measure.BANDWIDTH);
        assertThatThrownBy(() -> parse(atomic, "-s16")).hasMessage("there is no option -s");
        assertThat(parse(atomic, "-A", "CMP_AND_SWAP").compareSwap()).isTrue();
        assertThatThrownBy(() -> parse(atomic, "-A", "XCHG")).hasMessageContaining("neither CMP_AND_SWAP nor");
    }
}
