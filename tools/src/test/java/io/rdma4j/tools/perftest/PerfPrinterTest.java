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
        printer.row(new BandwidthResult(65536, 5000, 475.012, 81.27, 0.0013));
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
        printer.row(new BandwidthResult(2, 100, 0, 0.0123456, 1));
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
        printer.row(new LatencyResult(2, 1000, 1_000_000, times, 2));
        assertThat(lines())
                .endsWith(
                        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                                + "   99% percentile[usec]   99.9% percentile[usec] ",
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
        printer(new PerfTest(Verb.READ, Measure.BANDWIDTH), "host").parameters("rxe0", Mtu.MTU_1024, 16);
        assertThat(lines())
                .contains(
                        "                    RDMA_Read BW Test",
                        " Dual-port       : OFF\t\tDevice         : rxe0",
                        " Number of qps   : 1\t\tTransport type : IB",
                        " TX depth        : 128",
                        " CQ Moderation   : 1",
                        " Mtu             : 1024[B]",
                        " Link type       : Ethernet",
                        " Outstand reads  : 16")
                .noneMatch(line -> line.contains("inline") || line.contains("RX depth"));
    }
}
