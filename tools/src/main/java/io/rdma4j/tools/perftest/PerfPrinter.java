package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import java.io.PrintWriter;
import java.util.Locale;

/** Prints what perftest prints, line for line, as far as it means something here. */
final class PerfPrinter {
    private static final String RULE = "-".repeat(87);
    private static final String LATENCY_COLUMNS =
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                    + "   99% percentile[usec]   99.9% percentile[usec] ";
    private static final String TIMED_LATENCY_COLUMNS = " #bytes        #iterations       t_avg[usec]    tps average";

    private final PerfTest test;
    private final PerfOptions options;
    private final PrintWriter out;

    PerfPrinter(PerfTest test, PerfOptions options, PrintWriter out) {
        this.test = test;
        this.options = options;
        this.out = out;
    }

    /** Scripts wait for the second line. */
    void waiting() {
        out.println();
        out.println("************************************");
        out.println("* Waiting for client to connect... *");
        out.println("************************************");
    }

    /** What is going to be measured. */
    void parameters(String device, Mtu mtu, int outstandingReads) {
        rule();
        out.println("                    " + title());
        if (options.events()) {
            out.println(" Test with events. Using " + device + "_comp0");
        }
        out.println(" Dual-port       : OFF\t\tDevice         : " + device);
        out.println(" Number of qps   : " + options.load().queuePairs() + "\t\tTransport type : IB");
        out.println(" Connection type : " + options.connection().service() + "\t\tUsing SRQ      : OFF");
        out.println(" PCIe relax order: OFF");
        out.println(" ibv_wr* API     : ON");
        if (options.isClient() || options.load().bidirectional()) {
            out.println(" TX depth        : " + options.load().txDepth());
        }
        if (options.load().postList() > 1) {
            out.println(" Post List       : " + options.load().postList());
        }
        if (test.verb() == Verb.SEND && (!options.isClient() || options.load().bidirectional())) {
            out.println(" RX depth        : " + options.load().rxDepth());
        }
        if (!test.isLatency()) {
            out.println(" CQ Moderation   : " + options.load().cqModeration());
        }
        out.println(" Mtu             : " + mtu.bytes() + "[B]");
        out.println(" Link type       : Ethernet");
        out.println(" GID index       : " + options.connection().gidSlot());
        out.println(
                test.verb().isAnswered()
                        ? " Outstand reads  : " + outstandingReads
                        : " Max inline data : " + options.load().inlineBytes() + "[B]");
        out.println(" rdma_cm QPs\t : OFF");
        out.println(" Data ex. method : Ethernet");
        rule();
    }

    /** {@code RDMA_Write Bidirectional Post List BW Test}. */
    String title() {
        StringBuilder title = new StringBuilder(test.verb().title()).append(' ');
        if (test.verb() == Verb.ATOMIC) {
            title.append(options.load().compareSwap() ? "CMP_AND_SWAP " : "FETCH_AND_ADD ");
        }
        if (options.load().bidirectional()) {
            title.append("Bidirectional ");
        }
        if (options.load().postList() > 1) {
            title.append("Post List ");
        }
        return title.append(test.measure().title()).append(" Test").toString();
    }

    void address(String side, PerfAddress address) {
        out.println(address.lines(side, test.verb()));
    }

    /** What the columns of the results are. */
    void columns() {
        rule();
        if (!test.isLatency()) {
            out.println(String.format(
                    Locale.ROOT,
                    " #bytes     #iterations    BW peak[%1$s]    BW average[%1$s]   MsgRate[Mpps]",
                    options.gigabits() ? "Gb/sec" : "MiB/sec"));
        } else {
            out.println(options.isTimed() ? TIMED_LATENCY_COLUMNS : LATENCY_COLUMNS);
        }
    }

    void row(BandwidthResult result) {
        boolean fine = options.gigabits() && result.average() < 0.1;
        out.println(String.format(
                Locale.ROOT,
                fine
                        ? " %-7d    %d           %-7.6f            %-7.6f            %-7.6f"
                        : " %-7d    %-10d       %-7.2f            %-7.2f\t\t     %-7.6f",
                result.sizeBytes(),
                result.messages(),
                result.peak(),
                result.average(),
                result.messageRate()));
    }

    void row(LatencyResult result) {
        if (options.isTimed()) {
            out.println(String.format(
                    Locale.ROOT,
                    " %-7d       %d            %-7.2f        %-7.2f",
                    result.sizeBytes(),
                    result.messages(),
                    result.averageUs(),
                    result.perSecond()));
            return;
        }
        out.println(String.format(
                Locale.ROOT,
                " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f",
                result.sizeBytes(),
                result.messages(),
                result.minUs(),
                result.maxUs(),
                result.percentileUs(50),
                result.averageUs(),
                result.deviationUs(),
                result.percentileUs(99),
                result.percentileUs(99.9)));
    }

    void rule() {
        out.println(RULE);
    }
}
