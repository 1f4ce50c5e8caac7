// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.BurstLoss;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.run.TrafficPattern;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code sim}, and the command line that repeats a run.
 *
 * @param runs maximum number of runs
 * @param seconds no run starts later than this after the first one
 * @param kind kind of all runs
 * @param topology file of the network for that kind; else null
 * @param pattern which hosts of that network exchange messages
 * @param threads number of threads of a run with prompt applications on that network
 * @param first scenario of the first run; later ones differ in the seed
 * @param capture file for all packets, null for none
 * @param report file for the page with plots, null for none
 * @param json print one JSON document
 * @param verbose print a line for each run
 */
record SimOptions(
        int runs,
        int seconds,
        Kind kind,
        @Nullable String topology,
        TrafficPattern pattern,
        int threads,
        SimScenario first,
        @Nullable String capture,
        @Nullable String report,
        boolean json,
        boolean verbose) {
    /** Kind of a run. */
    enum Kind {
        MESSAGES("", "0-8192"),
        /** Programs have few long steps, so long steps are affordable. */
        PROGRAMS("--programs ", "0-8388608"),
        FUZZ("--fuzz ", "0-8192"),
        /** Connections by rdma_cm. */
        CONNECTIONS("--connections ", "0-8192"),
        /** Messages over the network of a topology file. */
        TOPOLOGY("--topology ", "0-8192");

        private final String option;
        private final String sizes;

        Kind(String option, String sizes) {
            this.option = option;
            this.sizes = sizes;
        }
    }

    static final Option[] TABLE = {
        Option.value('s', "seed", "N", "seed of the first run, the next has N+1 (default 1)"),
        Option.value('n', "runs", "N", "how many runs (default 100, or as --seconds says)"),
        Option.value(Option.NO_LETTER, "loss", "P", "probability that a packet is lost (default 0.05)"),
        Option.value(Option.NO_LETTER, "dup", "P", "probability that it arrives twice (default 0.02)"),
        Option.value(Option.NO_LETTER, "reorder", "P", "probability that others overtake it (default 0.05)"),
        Option.value(Option.NO_LETTER, "corrupt", "P", "probability that bits of it change (default 0.01)"),
        Option.value(Option.NO_LETTER, "gilbert", "P,Q", "losses in bursts: begin and end with these probabilities"),
        Option.value(Option.NO_LETTER, "seconds", "N", "begin no run later than this (default: no limit)"),
        Option.flag('p', "programs", "random programs of all operations, killed connections among them"),
        Option.flag('f', "fuzz", "forged packets against queue pairs of all types in all states"),
        Option.flag('c', "connections", "random connections of rdma_cm between two to four hosts, crashes among them"),
        Option.value('t', "topology", "FILE", "messages between hosts with RDMA devices of the network in a file"),
        Option.value(
                Option.NO_LETTER, "pattern", "NAME", "which of them: ring, all, permutation, incast (default ring)"),
        Option.flag(Option.NO_LETTER, "prompt", "applications post at once, timers never expire without loss"),
        Option.value(
                Option.NO_LETTER, "threads", "N", "threads of a --topology with --prompt (default: number of CPUs)"),
        Option.value('m', "messages", "N", "messages, or steps of a program, in each direction (default 40)"),
        Option.value(Option.NO_LETTER, "size", "MIN-MAX", "bytes of a message (default 0-8192, of programs 0-8388608)"),
        Option.value(Option.NO_LETTER, "mtu", "BYTES", "path MTU: 256, 512, 1024, 2048, 4096 (default: by the seed)"),
        Option.value(Option.NO_LETTER, "latency", "TIME", "of each direction: 10us, 2ms, … (default 10us)"),
        Option.value(Option.NO_LETTER, "bandwidth", "RATE", "bits a second: 10G, 100M, …; 0 for no limit (default 0)"),
        Option.value(
                Option.NO_LETTER, "ecn", "BYTES", "mark what finds more than so many bytes waiting; senders slow down"),
        Option.flag(Option.NO_LETTER, "out-of-order", "devices that keep packets that come before their turn"),
        Option.value(Option.NO_LETTER, "pcap", "FILE", "write every packet of all runs to a capture file"),
        Option.value(Option.NO_LETTER, "report", "FILE", "write a page with plots (HTML)"),
        Option.flag('v', "verbose", "a line for each run"),
        Option.JSON
    };

    private static final List<String> NOT_WITH_TOPOLOGY = List.of(
            "programs",
            "fuzz",
            "connections",
            "loss",
            "dup",
            "reorder",
            "corrupt",
            "gilbert",
            "latency",
            "bandwidth",
            "ecn");

    /** With higher probabilities so few packets arrive that a run does not end in reasonable time. */
    private static final double MAX_PROBABILITY = 0.5;

    /** Capacity in packets of the queue of a link with limited bandwidth. */
    private static final int QUEUE_PACKETS = 64;

    /** Maximum delay of a reordered packet in multiples of the latency; it is at least this long. */
    private static final int REORDER_LATENCIES = 5;

    private static final long MIN_REORDER_NS = 50_000;
    private static final int MAX_RUNS = 100_000_000;
    private static final int MAX_THREADS = 256;
    private static final int MAX_MESSAGES = 1_000_000;
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ns|us|ms|s)");
    private static final Pattern RATE = Pattern.compile("(\\d{1,10})([kMG]?)");

    /** @throws UsageException for invalid values */
    static SimOptions parse(Options options) {
        int messages = options.number("messages", 40, 1, MAX_MESSAGES);
        Kind kind = kind(options);
        Matcher size = match(options, "size", kind.sizes, RANGE, "MIN-MAX");
        int min = Integer.parseInt(size.group(1));
        int max = size.group(2) == null ? min : Integer.parseInt(size.group(2));
        try {
            return new SimOptions(
                    options.number("runs", options.has("seconds") ? MAX_RUNS : 100, 1, MAX_RUNS),
                    options.number("seconds", Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
                    kind,
                    options.text("topology"),
                    pattern(options),
                    threads(options),
                    scenario(options).withMessages(messages).withSizes(min, max),
                    options.text("pcap"),
                    options.text("report"),
                    options.has(Option.JSON.name()),
                    options.has("verbose"));
        } catch (RdmaException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static SimScenario scenario(Options options) {
        SimScenario scenario =
                SimScenario.of(seed(options)).withLink(link(options)).withPathMtu(mtu(options));
        if (options.has("ecn")) {
            scenario = scenario.withCongestionControl();
        }
        if (options.has("prompt")) {
            scenario = scenario.withPromptApplications();
        }
        return options.has("out-of-order") ? scenario.withOutOfOrderPlacement() : scenario;
    }

    private static TrafficPattern pattern(Options options) {
        String name = textOr(options, "pattern", "ring");
        if (options.has("pattern") && !options.has("topology")) {
            throw new UsageException("--pattern needs a --topology: other runs have two hosts");
        }
        for (TrafficPattern pattern : TrafficPattern.values()) {
            if (pattern.toString().equals(name)) {
                return pattern;
            }
        }
        throw new UsageException("--pattern=" + name + " is not one of ring, all, permutation, incast");
    }

    private static int threads(Options options) {
        if (options.has("threads") && !(options.has("topology") && options.has("prompt"))) {
            throw new UsageException("--threads needs --topology and --prompt: other runs have one thread");
        }
        return options.number("threads", Runtime.getRuntime().availableProcessors(), 1, MAX_THREADS);
    }

    private static Kind kind(Options options) {
        List<String> kinds = Stream.of("programs", "fuzz", "connections")
                .filter(options::has)
                .toList();
        if (kinds.size() > 1) {
            throw new UsageException("--" + kinds.get(0) + " and --" + kinds.get(1) + " are two things");
        }
        if (options.has("topology")) {
            for (String other : NOT_WITH_TOPOLOGY) {
                if (options.has(other)) {
                    throw new UsageException(
                            "--" + other + " does not go with --topology: the file says what links do");
                }
            }
            return Kind.TOPOLOGY;
        }
        return kinds.isEmpty() ? Kind.MESSAGES : Kind.valueOf(kinds.getFirst().toUpperCase(Locale.ROOT));
    }

    private static long seed(Options options) {
        String text = textOr(options, "seed", "1");
        try {
            return Long.decode(text);
        } catch (NumberFormatException _) {
            throw new UsageException("--seed=" + text + " is not a number");
        }
    }

    private static LinkProfile link(Options options) {
        long latencyNs = latencyNs(options);
        return LinkProfile.PERFECT
                .withLatencyNs(latencyNs)
                .withBandwidth(bitsPerSecond(options), QUEUE_PACKETS)
                .withLoss(probability(options, "loss", "0.05"))
                .withDuplication(probability(options, "dup", "0.02"))
                .withReordering(
                        probability(options, "reorder", "0.05"),
                        Math.max(MIN_REORDER_NS, REORDER_LATENCIES * latencyNs))
                .withCorruption(probability(options, "corrupt", "0.01"))
                .withBursts(bursts(options))
                .withEcnBytes(ecnBytes(options));
    }

    private static int ecnBytes(Options options) {
        if (options.has("ecn") && bitsPerSecond(options) == 0) {
            throw new UsageException("--ecn needs a --bandwidth: without one nothing waits");
        }
        return options.number("ecn", 0, 1, Integer.MAX_VALUE);
    }

    private static BurstLoss bursts(Options options) {
        String text = options.text("gilbert");
        if (text == null) {
            return BurstLoss.NONE;
        }
        String[] parts = text.split(",", -1);
        if (parts.length != 2) {
            throw new UsageException("--gilbert=" + text + " is not P,Q");
        }
        BurstLoss bursts = new BurstLoss(probability("gilbert", parts[0], 1), probability("gilbert", parts[1], 1));
        if (bursts.share() > MAX_PROBABILITY) {
            throw new UsageException("--gilbert=" + text + " loses more than " + MAX_PROBABILITY + " of all packets");
        }
        return bursts;
    }

    private static double probability(Options options, String name, String absent) {
        return probability(name, textOr(options, name, absent), MAX_PROBABILITY);
    }

    private static double probability(String name, String text, double limit) {
        double value;
        try {
            value = Double.parseDouble(text);
        } catch (NumberFormatException _) {
            throw new UsageException("--" + name + "=" + text + " is not a number");
        }
        if (!(value >= 0 && value <= limit)) {
            throw new UsageException("--" + name + "=" + text + " is not in 0.." + limit);
        }
        return value;
    }

    private static @Nullable Mtu mtu(Options options) {
        return options.has("mtu") ? Mtu.ofBytes(options.number("mtu", 0, 0, Integer.MAX_VALUE)) : null;
    }

    private static long latencyNs(Options options) {
        Matcher time = match(options, "latency", "10us", TIME, "a time such as 10us");
        long unitNs = switch (time.group(2)) {
            case "ns" -> 1;
            case "us" -> 1_000;
            case "ms" -> 1_000_000;
            default -> 1_000_000_000;
        };
        return Long.parseLong(time.group(1)) * unitNs;
    }

    private static long bitsPerSecond(Options options) {
        Matcher rate = match(options, "bandwidth", "0", RATE, "a rate such as 10G");
        long unit = switch (rate.group(2)) {
            case "k" -> 1_000;
            case "M" -> 1_000_000;
            case "G" -> 1_000_000_000;
            default -> 1;
        };
        return Long.parseLong(rate.group(1)) * unit;
    }

    private static Matcher match(Options options, String name, String absent, Pattern pattern, String wanted) {
        String text = textOr(options, name, absent);
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw new UsageException("--" + name + "=" + text + " is not " + wanted);
        }
        return matcher;
    }

    private static String textOr(Options options, String name, String absent) {
        String text = options.text(name);
        return text == null ? absent : text;
    }

    /** The scenario of a run; runs count from 0. */
    SimScenario scenario(int run) {
        return first.withSeed(first.seed() + run);
    }

    /** The command that repeats this scenario. */
    String repro(SimScenario scenario) {
        Mtu mtu = scenario.pathMtu();
        return "./rdma4j sim " + kind.option + (topology == null ? "" : topology + " ") + "--seed " + scenario.seed()
                + " --runs 1" + (topology == null ? repro(scenario.link()) : "") + " --messages " + scenario.messages()
                + " --size " + scenario.minBytes() + "-" + scenario.maxBytes()
                + (pattern == TrafficPattern.RING ? "" : " --pattern " + pattern)
                + (scenario.prompt() ? " --prompt" : "")
                + (mtu == null ? "" : " --mtu " + mtu.bytes())
                + (scenario.placesOutOfOrder() ? " --out-of-order" : "");
    }

    private static String repro(LinkProfile link) {
        BurstLoss bursts = link.bursts();
        return " --loss " + link.loss() + " --dup " + link.duplication() + " --reorder " + link.reordering()
                + " --corrupt " + link.corruption()
                + (bursts.begin() == 0 ? "" : " --gilbert " + bursts.begin() + "," + bursts.end()) + " --latency "
                + link.latencyNs() + "ns --bandwidth " + link.bitsPerSecond()
                + (link.ecnBytes() == 0 ? "" : " --ecn " + link.ecnBytes());
    }
}
