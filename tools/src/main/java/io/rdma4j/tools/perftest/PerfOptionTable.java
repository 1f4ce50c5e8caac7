// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.Rendezvous;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Parses the options of a performance test with perftest's names, and applies the rules by which they depend on each
 * other.
 */
final class PerfOptionTable {
    private static final int MAX_PORT = 255;
    private static final int MAX_QUEUE_PAIRS = 16_384;
    private static final int MAX_DEPTH = 16_384;
    private static final int MAX_SERVICE_LEVEL = 15;
    private static final int MAX_CODE = 31;
    private static final int MAX_PKEY_INDEX = 65_535;
    private static final int DEFAULT_RETRIES = 7;
    private static final int DEFAULT_SECONDS = 5;
    private static final double BYTES_PER_GIGABIT = 125e6;
    private static final double BITS_PER_MEGABIT = 1e6;

    /** Default file of {@code --out_json}, as in perftest. */
    private static final String JSON_FILE = "perftest_out.json";

    static final int MIN_ITERATIONS = 5;
    private static final int MAX_BYTES = 1 << 30;
    private static final int MAX_SECONDS = 1_000_000;
    private static final int DEFAULT_MODERATION = 100;

    /** Completions of larger messages are not moderated, unless the user chooses it. */
    private static final int MODERATED_BYTES = 8192;

    /** With more messages the highest bandwidth is not measured. */
    static final int PEAK_MESSAGES = 20_000;

    private static final int NO_TOS = -1;
    private static final int MAX_TOS = 255;

    private final PerfTest test;
    private final PerfOptionList list;

    PerfOptionTable(PerfTest test) {
        this.test = test;
        this.list = new PerfOptionList(test);
    }

    /** All options of the test. */
    Option[] options() {
        return list.options();
    }

    /** @throws UsageException for options that are out of range, contradict each other, or are rejected */
    PerfOptions of(Options given) {
        list.refuse(given);
        boolean infinite = given.has("run_infinitely");
        int seconds = given.number("duration", infinite ? DEFAULT_SECONDS : 0, 1, MAX_SECONDS);
        checkTimed(given, seconds, infinite);
        PerfOptions.Connection connection = connection(given);
        PerfOptions.Load load = load(given, connection.service(), seconds > 0);
        boolean tooManyForAPeak = (long) load.iterations() * load.queuePairs() > PEAK_MESSAGES;
        return new PerfOptions(
                device(given),
                connection,
                cm(given, connection),
                load,
                seconds,
                infinite ? 0 : margin(given, seconds),
                given.has("events"),
                given.has("perform_warm_up"),
                given.has("noPeak") || seconds > 0 || tooManyForAPeak,
                infinite,
                given.has("reversed"),
                validation(given, connection, load),
                TimeUnit.MICROSECONDS.toNanos(given.number("latency_gap", 0, 0, Integer.MAX_VALUE)),
                given.number("wait_destroy", 0, 0, MAX_SECONDS),
                pacing(given, load),
                given.has("report_gbits"),
                limit(given, "limit_bw"),
                limit(given, "limit_msgrate"),
                reporting(given, seconds),
                given.number("port", Rendezvous.DEFAULT_PORT, 1, Rendezvous.MAX_PORT),
                given.text("bind_source_ip") == null ? given.text("source_ip") : given.text("bind_source_ip"),
                given.operands().isEmpty() ? null : given.operands().getFirst());
    }

    private PerfOptions.Connection connection(Options given) {
        return new PerfOptions.Connection(
                service(given),
                given.number("ib-port", 1, 1, MAX_PORT),
                given.number(
                        "gid-index", PerfOptions.Connection.DEFAULT_GID, PerfOptions.Connection.DEFAULT_GID, MAX_PORT),
                given.has("ipv6"),
                given.number("pkey_index", 0, 0, MAX_PKEY_INDEX),
                given.number("retry_count", DEFAULT_RETRIES, 0, DEFAULT_RETRIES),
                multicast(given),
                mtu(given),
                given.number("sl", 0, 0, MAX_SERVICE_LEVEL),
                given.number("tclass", 0, 0, MAX_PORT),
                given.number("qp-timeout", 14, 0, MAX_CODE),
                given.number("outs", 0, 1, MAX_PORT));
    }

    private static @Nullable String device(Options given) {
        String device = given.text("device");
        return device == null ? given.text("ib-dev") : device;
    }

    private static PerfOptions.Cm cm(Options given, PerfOptions.Connection connection) {
        boolean connects = given.has("rdma_cm");
        if (!connects && given.has("tos")) {
            throw new UsageException("--tos works only with --rdma_cm; otherwise use --tclass");
        }
        if (connects && connection.service() == QpType.UC) {
            throw new UsageException("UC is not supported in librdmacm: leave out --rdma_cm, or use --connection=RC");
        }
        if (connects && connection.service() == QpType.XRC_INI) {
            throw new UsageException("--rdma_cm does not go with --connection=XRC");
        }
        if (connects && connection.multicast() != null) {
            throw new UsageException("Perftest still doesn't support Multicast with rdma_cm: leave out --rdma_cm");
        }
        if (connects && (connection.gidIndex() >= 0 || connection.ipv6())) {
            throw new UsageException("--gid-index and --ipv6 do not go with --rdma_cm: the address of the server"
                    + " determines the GID");
        }
        boolean exchanges = connects || given.has("comm_rdma_cm");
        String device = device(given);
        if (exchanges && device != null && device.contains("=")) {
            throw new UsageException("--rdma_cm and --comm_rdma_cm need the name of a device, or none: the address"
                    + " determines it; not " + device);
        }
        return new PerfOptions.Cm(exchanges, connects, given.number("tos", NO_TOS, 0, MAX_TOS));
    }

    private PerfOptions.Load load(Options given, QpType service, boolean timed) {
        boolean all = given.has("all");
        int size = all ? PerfTest.MAX_SIZE : given.number("size", test.defaultSize(), 1, MAX_BYTES);
        int iterations = timed ? 0 : given.number("iters", test.defaultIterations(), MIN_ITERATIONS, Integer.MAX_VALUE);
        int postList = given.number("post_list", 1, 1, MAX_DEPTH);
        if (iterations % postList != 0) {
            throw new UsageException("--iters=" + iterations + " must be a multiple of --post_list=" + postList);
        }
        int txDepth = atMost(iterations, given.number("tx-depth", test.defaultTxDepth(), 1, MAX_DEPTH));
        int deepEnough = Math.max(postList, txDepth);
        boolean immediate = given.has("send_with_imm") || given.has("write_with_imm");
        boolean received = test.verb() == Verb.SEND || immediate;
        int defaultRxDepth = received ? PerfTest.RECEIVES : 1;
        int rxDepth = atMost(iterations, given.number("rx-depth", defaultRxDepth, 1, MAX_DEPTH));
        return new PerfOptions.Load(
                all,
                size,
                iterations,
                given.number("qp", 1, 1, MAX_QUEUE_PAIRS),
                deepEnough,
                rxDepth,
                moderation(given, all ? 1 : size, postList, deepEnough),
                postList,
                given.number("inline_size", test.isLatency() ? test.verb().inlineBytes(service) : 0, 0, MAX_DEPTH),
                receivePostList(given, iterations, rxDepth),
                given.has("use-srq") || service == QpType.XRC_INI,
                immediate,
                received,
                given.has("bidirectional"),
                compareSwap(given));
    }

    private static int receivePostList(Options given, int iterations, int rxDepth) {
        int list = given.number("recv_post_list", 1, 1, MAX_DEPTH);
        if (iterations % list != 0) {
            throw new UsageException("--iters=" + iterations + " must be a multiple of --recv_post_list=" + list);
        }
        if (list > rxDepth) {
            throw new UsageException(
                    "--recv_post_list=" + list + " is longer than the receive queue, --rx-depth=" + rxDepth);
        }
        return list;
    }

    private void checkTimed(Options given, int seconds, boolean infinite) {
        String timed = infinite ? "--run_infinitely" : "--duration";
        if (seconds > 0 && (given.has("all") || given.has("events"))) {
            throw new UsageException(timed + " goes with neither --all nor --events");
        }
        boolean receives = test.verb() == Verb.SEND || given.has("write_with_imm");
        if (infinite && (given.has("rate_limit") || given.has("bidirectional") && receives)) {
            throw new UsageException("--run_infinitely goes with neither --rate_limit nor --bidirectional messages that"
                    + " consume receives");
        }
        if (given.has("cpu_util") && (seconds == 0 || infinite)) {
            throw new UsageException("--cpu_util works only with --duration");
        }
        if (given.has("report-both") && !given.has("bidirectional")) {
            throw new UsageException("--report-both works only with --bidirectional");
        }
        if (given.has("reversed") && given.has("bidirectional")) {
            throw new UsageException("--reversed has no meaning with --bidirectional: both sides send");
        }
    }

    private PerfOptions.Reporting reporting(Options given, int seconds) {
        boolean times = given.has("report-unsorted") || given.has("report-histogram");
        if (times && seconds > 0) {
            throw new UsageException("--duration keeps no single times: leave out -H and -U");
        }
        String file = given.text("out_json_file");
        return new PerfOptions.Reporting(
                given.has(Option.JSON.name()),
                file == null && given.has("out_json") ? JSON_FILE : file,
                given.text("report"),
                output(given),
                given.has("report-histogram"),
                given.has("report-unsorted"),
                given.has("report-cycles"),
                given.has("report-both"),
                given.has("cpu_util"));
    }

    private PerfOptions.Output output(Options given) {
        String text = given.text("output");
        if (text == null) {
            return PerfOptions.Output.FULL;
        }
        if (text.equals("latency") && test.isLatency()) {
            return PerfOptions.Output.LATENCY;
        }
        if (text.equals("bandwidth") && !test.isLatency()) {
            return PerfOptions.Output.BANDWIDTH;
        }
        if (text.equals("message_rate") && !test.isLatency()) {
            return PerfOptions.Output.MESSAGE_RATE;
        }
        throw new UsageException(
                "--output=" + text + " is not " + (test.isLatency() ? "latency" : "bandwidth or message_rate"));
    }

    private @Nullable Gid multicast(Options given) {
        String text = given.text("MGID");
        if (text == null && !given.has("mcg")) {
            return null;
        }
        if (service(given) != QpType.UD
                || given.has("bidirectional")
                || given.number("qp", 1, 1, MAX_QUEUE_PAIRS) > 1) {
            throw new UsageException("--mcg works only with --connection=UD, in one direction, on one QP");
        }
        try {
            return text == null ? Gid.ZERO : Gid.parse(text);
        } catch (RdmaException e) {
            throw new UsageException("--MGID=" + text + ": " + e.getMessage());
        }
    }

    private boolean validation(Options given, PerfOptions.Connection connection, PerfOptions.Load load) {
        if (!given.has("data_validation")) {
            return false;
        }
        if (connection.service() != QpType.RC
                || load.allSizes()
                || load.postList() > 1
                || load.bidirectional()
                || load.immediate()
                || given.has("run_infinitely")) {
            throw new UsageException("--data_validation works only over RC, for one size in one direction, without"
                    + " --post_list, --run_infinitely and immediate data");
        }
        return true;
    }

    /**
     * Parses the rate limit. Units are those of perftest: M is 2^20 bytes, g is 10^9 bits, p is messages, each per
     * second.
     */
    private PerfOptions.Pacing pacing(Options given, PerfOptions.Load load) {
        double limit = limit(given, "rate_limit");
        boolean program = "SW".equals(given.text("rate_limit_type"));
        if (limit <= 0) {
            if (given.has("burst_size") || given.has("rate_limit_type") || given.has("rate_limit")) {
                throw new UsageException("--burst_size and --rate_limit_type need a --rate_limit above 0");
            }
            return PerfOptions.Pacing.NONE;
        }
        double bytesPerSecond = switch (given.text("rate_units") == null ? "g" : given.text("rate_units")) {
            case "M" -> limit * (1 << 20);
            case "g" -> limit * BYTES_PER_GIGABIT;
            case "p" -> 0;
            case null, default -> throw new UsageException("--rate_units is none of M, g, p");
        };
        if (!program) {
            return new PerfOptions.Pacing(0, 0, 0, deviceRate(given, bytesPerSecond));
        }
        if (test.verb() == Verb.SEND && load.bidirectional()) {
            throw new UsageException("--rate_limit_type=SW does not go with --bidirectional SENDs");
        }
        return new PerfOptions.Pacing(
                bytesPerSecond,
                bytesPerSecond > 0 ? 0 : limit,
                Math.max(load.postList(), given.number("burst_size", load.txDepth(), 1, Integer.MAX_VALUE)),
                Rate.PORT_CURRENT);
    }

    /** Finds the static rate of a path; only the rates of InfiniBand exist. */
    private static Rate deviceRate(Options given, double bytesPerSecond) {
        String type = given.text("rate_limit_type");
        if (type != null && !type.equals("HW")) {
            throw new UsageException("--rate_limit_type=" + type + " is neither HW nor SW");
        }
        if (given.has("burst_size") || bytesPerSecond == 0) {
            throw new UsageException("--burst_size and --rate_units=p need --rate_limit_type=SW");
        }
        long mbps = Math.round(bytesPerSecond * Byte.SIZE / BITS_PER_MEGABIT);
        for (Rate rate : Rate.values()) {
            // Names are rounded: 14 means 14.0625 Gbit/s.
            if (rate.mbps() > 0 && (rate.mbps() == mbps || rate.name().equals("GBPS_" + given.text("rate_limit")))) {
                return rate;
            }
        }
        throw new UsageException(
                "--rate_limit=" + given.text("rate_limit") + " is no rate that a path can have (2.5, 5,"
                        + " 10, 20, 25, … Gbit/s); --rate_limit_type=SW takes any");
    }

    /** A depth beyond the number of messages has no effect. */
    private static int atMost(int iterations, int depth) {
        return iterations == 0 ? depth : Math.min(iterations, depth);
    }

    private QpType service(Options given) {
        String text = given.text("connection");
        if (text == null) {
            return QpType.RC;
        }
        for (QpType service : test.verb().services()) {
            if (Verb.name(service).equals(text.toUpperCase(Locale.ROOT))) {
                return service;
            }
        }
        throw new UsageException("--connection=" + text + " is not possible here: " + test.name() + " runs over "
                + test.verb().services().stream().map(Verb::name).toList());
    }

    private static @Nullable Mtu mtu(Options given) {
        int bytes = given.number("mtu", 0, 0, Integer.MAX_VALUE);
        try {
            return bytes == 0 ? null : Mtu.ofBytes(bytes);
        } catch (RdmaException e) {
            throw new UsageException("--mtu=" + bytes + ": " + e.getMessage());
        }
    }

    private static int margin(Options given, int seconds) {
        int margin = given.number("margin", seconds / 4, 0, MAX_SECONDS);
        if (seconds > 0 && seconds <= 2 * margin) {
            throw new UsageException("--duration=" + seconds + " must be longer than twice --margin=" + margin);
        }
        return margin;
    }

    private int moderation(Options given, int size, int postList, int txDepth) {
        boolean asked = given.has("cq-mod");
        int moderation = given.number("cq-mod", DEFAULT_MODERATION, 1, MAX_DEPTH);
        if (postList > 1) {
            if (asked && postList % moderation != 0) {
                throw new UsageException("--post_list=" + postList + " must be a multiple of --cq-mod=" + moderation);
            }
            return asked ? moderation : postList;
        }
        boolean large = size > MODERATED_BYTES && !given.has("events");
        return Math.min(large && !asked ? 1 : moderation, txDepth);
    }

    private static boolean compareSwap(Options given) {
        String text = given.text("atomic_type");
        if (text == null || text.equals("FETCH_AND_ADD")) {
            return false;
        }
        if (text.equals("CMP_AND_SWAP")) {
            return true;
        }
        throw new UsageException("--atomic_type=" + text + " is neither CMP_AND_SWAP nor FETCH_AND_ADD");
    }

    private static double limit(Options given, String name) {
        String text = given.text(name);
        try {
            return text == null ? 0 : Double.parseDouble(text);
        } catch (NumberFormatException _) {
            throw new UsageException("--" + name + "=" + text + " is not a number");
        }
    }
}
