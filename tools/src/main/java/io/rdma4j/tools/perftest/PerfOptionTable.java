package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.Rendezvous;
import io.rdma4j.verbs.QpType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The options of a performance test under perftest's names, and the rules by which they depend on each other. */
final class PerfOptionTable {
    private static final int MAX_PORT = 255;
    private static final int MAX_QUEUE_PAIRS = 16_384;
    private static final int MAX_DEPTH = 16_384;
    private static final int MAX_SERVICE_LEVEL = 15;
    private static final int MAX_CODE = 31;
    private static final int MIN_ITERATIONS = 5;
    private static final int MAX_BYTES = 1 << 30;
    private static final int MAX_SECONDS = 1_000_000;
    private static final int DEFAULT_MODERATION = 100;

    /** Larger messages complete one by one unless the user wants it otherwise. */
    private static final int MODERATED_BYTES = 8192;

    /** Beyond so many messages nobody looks for the best moment. */
    private static final int PEAK_MESSAGES = 20_000;

    /** What perftest has and we have not: the option, and what to do instead. */
    private static final Map<Option, String> REFUSED = refused();

    private final PerfTest test;

    PerfOptionTable(PerfTest test) {
        this.test = test;
    }

    private static Map<Option, String> refused() {
        Map<Option, String> refused = new LinkedHashMap<>();
        String noCm = "there is no connection manager here; leave it out, addresses go over TCP";
        refused.put(Option.flag('R', "rdma_cm", "refused: QPs of rdma_cm"), noCm);
        refused.put(Option.flag('z', "com_rdma_cm", "refused: exchange over rdma_cm"), noCm);
        refused.put(Option.value('T', "tos", "tos", "refused: of rdma_cm"), "it belongs to rdma_cm; use --tclass");
        String noGroup = "tests with multicast are not here; leave it out";
        refused.put(Option.flag('g', "mcg", "refused: multicast"), noGroup);
        refused.put(Option.value('M', "MGID", "gid", "refused: multicast"), noGroup);
        refused.put(Option.flag('O', "dualport", "refused: two ports"), "a device has one port; leave it out");
        String inReport = "use --json for numbers and --report for the distribution";
        refused.put(Option.flag('H', "report-histogram", "refused: see --report"), inReport);
        refused.put(Option.flag('U', "report-unsorted", "refused: see --report"), inReport);
        refused.put(
                Option.flag('C', "report-cycles", "refused: times are in microseconds"), "times are in microseconds");
        refused.put(
                Option.flag(Option.NO_LETTER, "out_json", "refused: see --json"),
                "use --json, and redirect the output");
        refused.put(
                Option.flag(Option.NO_LETTER, "odp", "refused: on demand paging"),
                "registering memory pins no pages; leave it out");
        return refused;
    }

    /** All options of the test: those it has first, then those it refuses. */
    Option[] options() {
        List<Option> options = new ArrayList<>(common());
        if (test.verb() != Verb.ATOMIC) {
            options.add(Option.flag('a', "all", "run sizes from 2 to 2^23"));
            options.add(Option.value(
                    's', "size", "size", "size of message to exchange (default " + test.defaultSize() + ")"));
        } else {
            options.add(
                    Option.value('A', "atomic_type", "type", "CMP_AND_SWAP or FETCH_AND_ADD (default FETCH_AND_ADD)"));
        }
        if (test.verb().isAnswered()) {
            options.add(
                    Option.value('o', "outs", "num", "reads and atomics outstanding (default what both devices can)"));
        } else {
            options.add(Option.value('I', "inline_size", "size", "largest message to be sent inline"));
        }
        if (test.verb() == Verb.SEND) {
            options.add(
                    Option.value('r', "rx-depth", "dep", "receive queue size (default " + test.defaultRxDepth() + ")"));
        }
        if (test.moderatesCompletions()) {
            options.add(
                    Option.value('t', "tx-depth", "dep", "size of tx queue (default " + test.defaultTxDepth() + ")"));
            options.add(Option.value(
                    'Q',
                    "cq-mod",
                    "num",
                    "a completion for every so many sends (default 100, at most the size of the tx queue)"));
        }
        if (!test.isLatency()) {
            options.addAll(ofBandwidth());
        }
        if (test.verb() == Verb.SEND || !test.isPingPong()) {
            options.add(Option.flag('e', "events", "sleep on CQ events (default poll)"));
        }
        options.addAll(REFUSED.keySet());
        return options.toArray(Option[]::new);
    }

    private List<Option> common() {
        String services = test.verb().services().stream().map(QpType::name).collect(Collectors.joining("/"));
        return List.of(
                Option.value(
                        'p',
                        "port",
                        "port",
                        "listen on/connect to port <port> (default " + Rendezvous.DEFAULT_PORT + ")"),
                Option.value('d', "ib-dev", "dev", "use IB device <dev> (default first device found)"),
                Option.value(
                        Option.NO_LETTER,
                        "device",
                        "dev",
                        "the same, or <name>=udp:<address>[:<port>] to make a device"),
                Option.value('i', "ib-port", "port", "use port <port> of IB device (default 1)"),
                Option.value(
                        'x',
                        "gid-index",
                        "index",
                        "use GID of this index (default: of the address that the peer is reached from)"),
                Option.value('c', "connection", services, "connection type (default RC)"),
                Option.value('m', "mtu", "mtu", "256 - 4096 (default port mtu)"),
                Option.value(
                        'n',
                        "iters",
                        "iters",
                        "number of exchanges (at least " + MIN_ITERATIONS + ", default " + test.defaultIterations()
                                + ")"),
                Option.value('D', "duration", "sec", "run for so many seconds instead"),
                Option.value(
                        'f', "margin", "sec", "of a duration that are not measured, at both ends (default a quarter)"),
                Option.value('S', "sl", "sl", "service level (default 0)"),
                Option.value(Option.NO_LETTER, "tclass", "value", "traffic class (default 0)"),
                Option.value('u', "qp-timeout", "timeout", "ACK timeout, 4 usec * 2^timeout (default 14)"),
                Option.flag('F', "CPU-freq", "accepted: nothing is said of CPU frequencies"),
                Option.JSON,
                Option.value(Option.NO_LETTER, "report", "file", "write a page with a plot (HTML)"));
    }

    private List<Option> ofBandwidth() {
        List<Option> options = new ArrayList<>(List.of(
                Option.flag('b', "bidirectional", "measure both directions at once"),
                Option.value('q', "qp", "num", "number of QPs (default 1)"),
                Option.value('l', "post_list", "size", "post lists of send requests of this size (default 1)"),
                Option.flag('N', "noPeak", "do not look for the peak (default: up to " + PEAK_MESSAGES + " messages)"),
                Option.flag(Option.NO_LETTER, "report_gbits", "report Gbit/s instead of MiB/s"),
                Option.value('w', "limit_bw", "value", "fail if the bandwidth is lower"),
                Option.value('y', "limit_msgrate", "value", "fail if the message rate is lower")));
        if (test.verb() != Verb.SEND) {
            options.add(Option.flag(Option.NO_LETTER, "perform_warm_up", "send some messages before measuring"));
        }
        return options;
    }

    /** @throws UsageException for what is out of range, makes no sense together, or is not here */
    PerfOptions of(Options given) {
        REFUSED.forEach((option, instead) -> {
            if (given.has(option.name())) {
                throw new UsageException("--" + option.name() + " is not supported: " + instead);
            }
        });
        int seconds = given.number("duration", 0, 1, MAX_SECONDS);
        if (seconds > 0 && (given.has("all") || given.has("events"))) {
            throw new UsageException("--duration goes with neither --all nor --events");
        }
        PerfOptions.Connection connection = connection(given);
        PerfOptions.Load load = load(given, connection.service(), seconds > 0);
        String device = given.text("device");
        boolean tooManyForAPeak = (long) load.iterations() * load.queuePairs() > PEAK_MESSAGES;
        return new PerfOptions(
                device == null ? given.text("ib-dev") : device,
                connection,
                load,
                seconds,
                margin(given, seconds),
                given.has("events"),
                given.has("perform_warm_up"),
                given.has("noPeak") || seconds > 0 || tooManyForAPeak,
                given.has("report_gbits"),
                limit(given, "limit_bw"),
                limit(given, "limit_msgrate"),
                given.has(Option.JSON.name()),
                given.text("report"),
                given.number("port", Rendezvous.DEFAULT_PORT, 1, Rendezvous.MAX_PORT),
                given.operands().isEmpty() ? null : given.operands().getFirst());
    }

    private PerfOptions.Connection connection(Options given) {
        return new PerfOptions.Connection(
                service(given),
                given.number("ib-port", 1, 1, MAX_PORT),
                given.number(
                        "gid-index", PerfOptions.Connection.DEFAULT_GID, PerfOptions.Connection.DEFAULT_GID, MAX_PORT),
                mtu(given),
                given.number("sl", 0, 0, MAX_SERVICE_LEVEL),
                given.number("tclass", 0, 0, MAX_PORT),
                given.number("qp-timeout", 14, 0, MAX_CODE),
                given.number("outs", 0, 1, MAX_PORT));
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
        return new PerfOptions.Load(
                all,
                size,
                iterations,
                given.number("qp", 1, 1, MAX_QUEUE_PAIRS),
                deepEnough,
                atMost(iterations, given.number("rx-depth", test.defaultRxDepth(), 1, MAX_DEPTH)),
                moderation(given, all ? 1 : size, postList, deepEnough),
                postList,
                given.number("inline_size", test.isLatency() ? test.verb().inlineBytes(service) : 0, 0, MAX_DEPTH),
                given.has("bidirectional"),
                compareSwap(given));
    }

    /** More than there are messages is of no use. */
    private static int atMost(int iterations, int depth) {
        return iterations == 0 ? depth : Math.min(iterations, depth);
    }

    private QpType service(Options given) {
        String text = given.text("connection");
        if (text == null) {
            return QpType.RC;
        }
        for (QpType service : test.verb().services()) {
            if (service.name().equals(text.toUpperCase(Locale.ROOT))) {
                return service;
            }
        }
        throw new UsageException("--connection=" + text + " is not possible here: " + test.name() + " runs over "
                + test.verb().services());
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
