// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ping;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.ip.PmtuDiscovery;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ExitCode;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import io.rdma4j.netlab.command.shell.Wait;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.concurrent.TimeUnit;

/** {@code ping}: sends ICMP echo requests to a host through the machine's IP stack. */
public final class PingCommand implements ShellCommand {
    private static final double NS_PER_MS = 1e6;
    private static final int MAX_PAYLOAD_BYTES = 65_507;

    @Override
    public String name() {
        return "ping";
    }

    @Override
    public String usage() {
        return "ping [-c COUNT] [-i SECONDS] [-W SECONDS] [-s BYTES] [-t HOPS] [-M do|want|dont|probe] ADDRESS";
    }

    /** The options. Defaults are those of Linux, except the count, which is unlimited in Linux. */
    private static final class Wishes {
        int count = 4;
        long intervalNs = TimeUnit.SECONDS.toNanos(1);
        long timeoutNs = TimeUnit.SECONDS.toNanos(1);
        int bytes = 56;
        int hops;
        PmtuDiscovery discovery = PmtuDiscovery.WANT;
        String address = "";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        Wishes wishes = read(new ArgumentReader(words));
        Gid to = Gid.parse(wishes.address);
        LongSummaryStatistics times = new LongSummaryStatistics();
        try (EchoProbe probe = new EchoProbe(session, to, wishes.discovery)) {
            session.out()
                    .println("PING " + wishes.address + " (" + EchoProbe.text(to) + ") " + wishes.bytes + "("
                            + (wishes.bytes + probe.headerBytes()) + ") bytes of data.");
            for (int i = 1; i <= wishes.count && !Thread.currentThread().isInterrupted(); i++) {
                EchoProbe.Outcome outcome = probe.ask(i, wishes.bytes, wishes.hops, wishes.timeoutNs);
                report(session, wishes, i, outcome, times);
                if (i < wishes.count) {
                    Wait.until(session.machine(), wishes.intervalNs - outcome.elapsedNs(), () -> null);
                }
            }
        }
        summarize(session, wishes, times);
        return times.getCount() > 0 ? 0 : ExitCode.FAILED;
    }

    private static Wishes read(ArgumentReader arguments) {
        Wishes wishes = new Wishes();
        while (arguments.hasNext()) {
            String word = arguments.next("an address");
            switch (word) {
                case "-c" -> wishes.count = (int) arguments.number("a count", 1, Short.MAX_VALUE);
                case "-i" -> wishes.intervalNs = seconds(arguments);
                case "-W" -> wishes.timeoutNs = seconds(arguments);
                case "-s" -> wishes.bytes = (int) arguments.number("a size", 0, MAX_PAYLOAD_BYTES);
                case "-t" -> wishes.hops = (int) arguments.number("a hop limit", 1, 255);
                case "-M" -> wishes.discovery = discovery(arguments.next("do, want, dont or probe"));
                default -> {
                    wishes.address = word;
                    arguments.end();
                }
            }
        }
        if (wishes.address.isEmpty()) {
            throw new UsageException("an address is missing");
        }
        return wishes;
    }

    private static long seconds(ArgumentReader arguments) {
        String word = arguments.next("seconds");
        try {
            double seconds = Double.parseDouble(word);
            if (seconds >= 0 && seconds <= TimeUnit.DAYS.toSeconds(1)) {
                return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
            }
        } catch (NumberFormatException e) {
            throw new UsageException("\"" + word + "\" is no number of seconds");
        }
        throw new UsageException(word + " seconds are not in a day");
    }

    private static PmtuDiscovery discovery(String word) {
        return switch (word) {
            case "do" -> PmtuDiscovery.DO;
            case "want" -> PmtuDiscovery.WANT;
            case "dont" -> PmtuDiscovery.DONT;
            case "probe" -> PmtuDiscovery.PROBE;
            default -> throw new UsageException("-M " + word + " is none of do, want, dont, probe");
        };
    }

    private static void report(
            ShellSession session, Wishes wishes, int sequence, EchoProbe.Outcome outcome, LongSummaryStatistics times) {
        Gid from = outcome.from();
        Errno error = outcome.error();
        if (error != null) {
            session.out()
                    .println(
                            from == null
                                    ? "ping: icmp_seq=" + sequence + " was not sent: " + error
                                    : "From " + EchoProbe.text(from) + " icmp_seq=" + sequence + " " + error);
        } else if (from != null) {
            times.accept(outcome.elapsedNs());
            session.out()
                    .printf(
                            Locale.ROOT,
                            "%d bytes from %s: icmp_seq=%d ttl=%d time=%.3f ms%n",
                            wishes.bytes + 8,
                            EchoProbe.text(from),
                            sequence,
                            outcome.hopLimit(),
                            outcome.elapsedNs() / NS_PER_MS);
        }
        session.out().flush();
    }

    private static void summarize(ShellSession session, Wishes wishes, LongSummaryStatistics times) {
        session.out().println();
        session.out().println("--- " + wishes.address + " ping statistics ---");
        session.out()
                .println(wishes.count + " packets transmitted, " + times.getCount() + " received, "
                        + (100 - 100 * times.getCount() / wishes.count) + "% packet loss");
        if (times.getCount() > 0) {
            session.out()
                    .printf(
                            Locale.ROOT,
                            "rtt min/avg/max = %.3f/%.3f/%.3f ms%n",
                            times.getMin() / NS_PER_MS,
                            times.getAverage() / NS_PER_MS,
                            times.getMax() / NS_PER_MS);
        }
    }
}
