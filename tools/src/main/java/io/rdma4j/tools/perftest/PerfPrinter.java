// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import java.io.PrintWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Prints the output of perftest line by line, as far as its values exist here. */
final class PerfPrinter {
    private static final int SIGNIFICANT_DIGITS = 6;
    private static final double CYCLES_PER_US = 1e3;
    private static final String RULE = "-".repeat(87);
    private static final String LATENCY_COLUMNS =
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                    + "   99% percentile[usec]   99.9% percentile[usec] ";
    private static final String TIMED_LATENCY_COLUMNS = " #bytes        #iterations       t_avg[usec]    tps average";

    private final PerfTest test;
    private final PerfOptions options;
    private final PrintWriter out;
    private final PrintWriter figures;

    PerfPrinter(PerfTest test, PerfOptions options, PrintWriter out) {
        this.test = test;
        this.options = options;
        this.figures = out;
        this.out = options.reporting().output() == PerfOptions.Output.FULL ? out : new PrintWriter(Writer.nullWriter());
    }

    /** Scripts wait for the second line. */
    void waiting() {
        out.println();
        out.println("************************************");
        out.println("* Waiting for client to connect... *");
        out.println("************************************");
    }

    /** Prints the parameters of the test. */
    void parameters(String device, Mtu mtu, int gidIndex, int outstandingReads) {
        rule();
        out.println("                    " + title());
        if (options.connection().multicast() != null) {
            out.println(" MultiCast runs on UD!");
        }
        if (options.events()) {
            out.println(" Test with events. Using " + device + "_comp0");
        }
        out.println(" Dual-port       : OFF\t\tDevice         : " + device);
        out.println(" Number of qps   : " + options.load().queuePairs() + "\t\tTransport type : IB");
        out.println(" Connection type : " + Verb.name(options.connection().service()) + "\t\tUsing SRQ      : "
                + (options.load().sharedReceives() ? "ON" : "OFF"));
        out.println(" PCIe relax order: OFF");
        out.println(" ibv_wr* API     : ON");
        if (options.isSender() || options.load().bidirectional()) {
            out.println(" TX depth        : " + options.load().txDepth());
        }
        if (options.load().postList() > 1) {
            out.println(" Post List       : " + options.load().postList());
        }
        if (options.load().receivePostList() > 1) {
            out.println(" Recv Post List  : " + options.load().receivePostList());
        }
        if (options.load().consumesReceives()
                && (!options.isSender() || options.load().bidirectional())) {
            out.println(" RX depth        : " + options.load().rxDepth());
        }
        if (!test.isLatency()) {
            out.println(" CQ Moderation   : " + options.load().cqModeration());
        }
        out.println(" Mtu             : " + mtu.bytes() + "[B]");
        out.println(" Link type       : Ethernet");
        out.println(" GID index       : " + gidIndex);
        out.println(
                test.verb().isAnswered()
                        ? " Outstand reads  : " + outstandingReads
                        : " Max inline data : " + options.load().inlineBytes() + "[B]");
        if (options.validate()) {
            out.println(" Data validation : ON");
        }
        PerfOptions.Cm cm = options.cm();
        out.println(" rdma_cm QPs\t : " + (cm.connects() ? "ON" : "OFF"));
        out.println(" Data ex. method : " + (cm.carriesExchange() ? "rdma_cm" : "Ethernet")
                + (cm.typeOfService() < 0 ? "" : " \tTOS    : " + cm.typeOfService()));
        if (cm.connects() && !options.isClient()) {
            rule();
            out.println(" Waiting for client rdma_cm QP to connect");
            out.println(" Please run the same command with the IB/RoCE interface IP");
        }
        rule();
    }

    /** {@code RDMA_Write Bidirectional Post List BW Test}. */
    String title() {
        StringBuilder title =
                new StringBuilder(test.verb().title()).append(options.load().immediate() ? "_imm " : " ");
        if (test.verb() == Verb.ATOMIC) {
            title.append(options.load().compareSwap() ? "CMP_AND_SWAP " : "FETCH_AND_ADD ");
        }
        if (options.load().bidirectional()) {
            title.append("Bidirectional ");
        }
        if (options.load().postList() > 1) {
            title.append("Post List ");
        }
        return title.append(test.measure().title())
                .append(options.connection().multicast() == null ? "" : " Multicast")
                .append(" Test")
                .toString();
    }

    void address(String side, PerfAddress address) {
        out.println(address.lines(side, test.verb()));
    }

    /** Prints the titles of the columns. */
    void columns() {
        rule();
        out.println(header() + (options.reporting().cpuUtilization() ? "    CPU_Util[%]" : ""));
    }

    private String header() {
        if (test.isLatency()) {
            return options.isTimed() ? TIMED_LATENCY_COLUMNS : LATENCY_COLUMNS;
        }
        return String.format(
                Locale.ROOT,
                " #bytes     #iterations    BW peak[%1$s]    BW average[%1$s]   MsgRate[Mpps]",
                options.gigabits() ? "Gb/sec" : "MiB/sec");
    }

    /**
     * Prints a result.
     *
     * @param cpuPercent utilisation of the CPUs, for the last column; NaN without {@code --cpu_util}
     */
    void row(BandwidthResult result, double cpuPercent) {
        switch (options.reporting().output()) {
            case BANDWIDTH -> figures.println(String.format(Locale.ROOT, "%f", result.average()));
            case MESSAGE_RATE -> figures.println(String.format(Locale.ROOT, "%f", result.messageRate()));
            default -> out.println(text(result) + text(cpuPercent));
        }
    }

    private static String text(double cpuPercent) {
        return Double.isNaN(cpuPercent) ? "" : String.format(Locale.ROOT, "\t    %-3.2f", cpuPercent);
    }

    /** Prints the results of both directions separately. */
    void both(BandwidthResult local, BandwidthResult remote) {
        separate("Local", local);
        separate("Remote", remote);
    }

    private void separate(String side, BandwidthResult result) {
        rule();
        out.println();
        out.println(" " + side + " results: ");
        columns();
        row(result, Double.NaN);
    }

    /** Prints that the peer of a test without end has disconnected. */
    void clientClosed() {
        out.println(" Client closed connection");
    }

    /** Prints the number of validated bytes. */
    void validated(long bytes) {
        out.println(" Data validation : " + bytes + " bytes are right");
    }

    /** Prints how long the resources of the test are kept. */
    void waitsBeforeDestroying(int seconds) {
        out.println(" Waiting " + seconds + " seconds before releasing resources...");
    }

    private String text(BandwidthResult result) {
        boolean fine = options.gigabits() && result.average() < 0.1;
        return String.format(
                Locale.ROOT,
                fine
                        ? " %-7d    %d           %-7.6f            %-7.6f            %-7.6f"
                        : " %-7d    %-10d       %-7.2f            %-7.2f\t\t     %-7.6f",
                result.sizeBytes(),
                result.messages(),
                result.peak(),
                result.average(),
                result.messageRate());
    }

    /** Prints a result. */
    void row(LatencyResult result, double cpuPercent) {
        if (options.reporting().output() == PerfOptions.Output.LATENCY) {
            figures.println(String.format(Locale.ROOT, "%f", result.averageUs()));
            return;
        }
        times(result);
        out.println((options.isTimed() ? timed(result) : text(result)) + text(cpuPercent));
    }

    /** Prints all times in the chosen order. */
    private void times(LatencyResult result) {
        PerfOptions.Reporting reporting = options.reporting();
        if (reporting.unsorted()) {
            times(result.seriesUs(false));
        }
        if (reporting.histogram()) {
            times(result.seriesUs(true));
        }
        if (reporting.unsorted() || reporting.histogram()) {
            columns();
        }
    }

    private void times(double[] timesUs) {
        boolean cycles = options.reporting().cycles();
        out.println("#, " + (cycles ? "cycles" : "usec"));
        for (int i = 0; i < timesUs.length; i++) {
            out.println((i + 1) + ", " + significant(unit(timesUs[i])));
        }
    }

    /** {@code %g} of C: six digits, and no zeros behind them. */
    private static String significant(double value) {
        return new BigDecimal(value)
                .round(new MathContext(SIGNIFICANT_DIGITS))
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Converts microseconds to the chosen unit: microseconds, or cycles of the clock, which are nanoseconds. */
    private double unit(double us) {
        return options.reporting().cycles() ? us * CYCLES_PER_US : us;
    }

    private String timed(LatencyResult result) {
        return String.format(
                Locale.ROOT,
                " %-7d       %d            %-7.2f        %-7.2f",
                result.sizeBytes(),
                result.messages(),
                unit(result.averageUs()),
                result.perSecond());
    }

    private String text(LatencyResult result) {
        return String.format(
                Locale.ROOT,
                " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f",
                result.sizeBytes(),
                result.messages(),
                unit(result.minUs()),
                unit(result.maxUs()),
                unit(result.percentileUs(50)),
                unit(result.averageUs()),
                unit(result.deviationUs()),
                unit(result.percentileUs(99)),
                unit(result.percentileUs(99.9)));
    }

    void rule() {
        out.println(RULE);
    }
}
