// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PerfPrinterTest {
    private final StringWriter text = new StringWriter();

    private PerfPrinter printer(PerfTest test, String... words) {
        return new PerfPrinter(test, PerfOptionTableTest.parse(test, words), new PrintWriter(text, true));
    }

    private List<String> lines() {
        return text.toString().lines().toList();
    }

    @Test
    void bandwidthRowsStandUnderTheirColumns() {
        PerfPrinter printer = printer(new PerfTest(Verb.WRITE, Measure.BANDWIDTH));
        printer.columns();
        printer.row(new BandwidthResult(65536, 5000, 475.012, 81.27, 0.0013), Double.NaN);
        assertThat(lines())
                .containsExactly(
                        "-".repeat(87),
                        " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]",
                        " 65536      5000             475.01             81.27  \t\t     0.001300");
    }

    @Test
    void gigabitsHaveAColumnOfTheirOwnAndSmallOnesMoreDigits() {
        PerfPrinter printer = printer(new PerfTest(Verb.WRITE, Measure.BANDWIDTH), "--report_gbits");
        printer.columns();
        printer.row(new BandwidthResult(2, 100, 0, 0.0123456, 1), Double.NaN);
        assertThat(lines())
                .endsWith(
                        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]",
                        " 2          100           0.000000            0.012346            1.000000");
    }

    @Test
    void aTimeOfAPingPongIsTwoLatencies() {
        Histogram times = new Histogram(1_000_000, 4);
        for (int i = 1; i <= 1000; i++) {
            times.recordValue(i * 20L);
        }
        PerfPrinter printer = printer(new PerfTest(Verb.SEND, Measure.LATENCY));
        printer.columns();
        printer.row(new LatencyResult(2, 1000, 1_000_000, times, new TimeSeries(0), 2), Double.NaN);
        assertThat(lines())
                .endsWith(
                        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]   "
                                + " t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ",
                        " 2       1000          0.01           10.00        5.00     \t       5.01        \t2.89   "
                                + "\t\t9.90    \t\t9.99   ");
    }

    @Test
    void theTitleSaysWhatIsMeasured() {
        assertThat(printer(new PerfTest(Verb.WRITE, Measure.BANDWIDTH), "-b", "-l10")
                        .title())
                .isEqualTo("RDMA_Write Bidirectional Post List BW Test");
        assertThat(printer(new PerfTest(Verb.ATOMIC, Measure.LATENCY)).title())
                .isEqualTo("Atomic FETCH_AND_ADD Latency Test");
    }

    @Test
    void parametersAreThoseThatMatter() {
        printer(new PerfTest(Verb.READ, Measure.BANDWIDTH), "host").parameters("rxe0", Mtu.MTU_1024, 3, 16);
        assertThat(lines())
                .contains(
                        "                    RDMA_Read BW Test",
                        " Dual-port       : OFF\t\tDevice         : rxe0",
                        " Number of qps   : 1\t\tTransport type : IB",
                        " TX depth        : 128",
                        " CQ Moderation   : 1",
                        " Mtu             : 1024[B]",
                        " Link type       : Ethernet",
                        " GID index       : 3",
                        " Outstand reads  : 16")
                .noneMatch(line -> line.contains("inline") || line.contains("RX depth"));
    }

    private static LatencyResult fourTimes() {
        Histogram times = new Histogram(1_000_000, 4);
        TimeSeries series = new TimeSeries(4);
        for (long ns : new long[] {3000, 1000, 2500, 1234}) {
            times.recordValue(ns);
            series.add(ns);
        }
        return new LatencyResult(2, 5, 10_000, times, series, 2);
    }

    @Test
    void allTimesArePrintedInTheirOrderOrSorted() {
        PerfTest test = new PerfTest(Verb.SEND, Measure.LATENCY);
        printer(test, "-U").row(fourTimes(), Double.NaN);
        assertThat(lines()).startsWith("#, usec", "1, 1.5", "2, 0.5", "3, 1.25", "4, 0.617");
        text.getBuffer().setLength(0);
        printer(test, "-H").row(fourTimes(), Double.NaN);
        assertThat(lines()).startsWith("#, usec", "1, 0.5", "2, 0.617", "3, 1.25", "4, 1.5");
        assertThat(lines()).anyMatch(line -> line.startsWith(" #bytes #iterations"));
    }

    @Test
    void cyclesAreNanoseconds() {
        printer(new PerfTest(Verb.SEND, Measure.LATENCY), "-C", "-U").row(fourTimes(), Double.NaN);
        assertThat(lines()).startsWith("#, cycles", "1, 1500", "2, 500", "3, 1250", "4, 617");
        assertThat(lines()).last().asString().startsWith(" 2       5          500.00         1500.00");
    }

    @Test
    void oneFigureMayBePrintedAlone() {
        BandwidthResult result = new BandwidthResult(64, 100, 3, 1.5, 0.25);
        PerfTest test = new PerfTest(Verb.WRITE, Measure.BANDWIDTH);
        for (String unit : List.of("bandwidth", "message_rate")) {
            PerfPrinter printer = printer(test, "--output=" + unit);
            printer.parameters("rxe0", Mtu.MTU_1024, 0, 16);
            printer.columns();
            printer.row(result, Double.NaN);
        }
        printer(new PerfTest(Verb.SEND, Measure.LATENCY), "--output=latency").row(fourTimes(), Double.NaN);
        assertThat(lines()).hasSize(3).startsWith("1.500000", "0.250000");
        assertThat(lines().getLast()).startsWith("0.96");
    }

    @Test
    void theBusyCpusAreTheLastColumn() {
        PerfPrinter printer = printer(new PerfTest(Verb.WRITE, Measure.BANDWIDTH), "-D4", "--cpu_util");
        printer.columns();
        printer.row(new BandwidthResult(64, 100, 0, 1.5, 0.25), 12.5);
        assertThat(lines().get(1)).endsWith("MsgRate[Mpps]    CPU_Util[%]");
        assertThat(lines().get(2)).endsWith("\t    12.50");
    }

    @Test
    void bothDirectionsArePrintedSeparately() {
        printer(new PerfTest(Verb.WRITE, Measure.BANDWIDTH), "-b", "--report-both")
                .both(new BandwidthResult(64, 100, 0, 1.5, 0.25), new BandwidthResult(64, 100, 0, 2.5, 0.25));
        assertThat(lines()).containsSubsequence(" Local results: ", " Remote results: ");
        assertThat(lines().stream().filter(line -> line.startsWith(" 64 "))).hasSize(2);
    }
}
