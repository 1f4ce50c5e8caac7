// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.links.PcapWriter;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.run.ConnectRun;
import io.rdma4j.testing.sim.run.FuzzRun;
import io.rdma4j.testing.sim.run.ProgramRun;
import io.rdma4j.testing.sim.run.ScenarioRun;
import io.rdma4j.testing.sim.run.TopologyRun;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code sim}: simulates hosts in virtual time, in this process. The network loses, duplicates, reorders and corrupts
 * packets, or is that of a topology file. Checkers verify every message, every step of random programs, the end of
 * every connection, or the memory of a host that receives forged packets. A seed always gives the same run.
 *
 * <p>Exit code 1 if there was a violation; prints the command that repeats the run and the file with its packets.
 */
final class SimCommand extends GetoptCommand {
    /** Runs one scenario: messages, programs, or forged packets. */
    @FunctionalInterface
    interface Runner {
        /** @param options options that are the same for all runs */
        RunResult run(SimScenario scenario, SimOptions options, @Nullable PcapWriter capture) throws IOException;
    }

    private static final int VIOLATED = 1;

    /** Events printed before a violation; -v prints all recorded ones. */
    private static final int TRACE_LINES = 30;

    private static final long PROGRESS_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Maximum number of captures of runs with violations. */
    private static final int MAX_CAPTURES = 10;

    private final Runner runner;
    private final Path directory;

    SimCommand() {
        this(SimCommand::run, Path.of(""));
    }

    /** @param directory for the captures of runs with violations */
    SimCommand(Runner runner, Path directory) {
        super("sim", UsageException.DEFAULT_EXIT_CODE, SimOptions.TABLE);
        this.runner = runner;
        this.directory = directory;
    }

    private static RunResult run(SimScenario scenario, SimOptions options, @Nullable PcapWriter capture)
            throws IOException {
        return switch (options.kind()) {
            case MESSAGES -> new ScenarioRun(scenario).capture(capture).run();
            case PROGRAMS -> new ProgramRun(scenario).capture(capture).run();
            case FUZZ -> new FuzzRun(scenario).capture(capture).run();
            case CONNECTIONS -> new ConnectRun(scenario).capture(capture).run();
            case TOPOLOGY -> {
                String file = Objects.requireNonNull(options.topology(), "of this kind");
                Topology topology = TopologyParser.parse(file, Files.readString(Path.of(file)));
                yield new TopologyRun(file, topology, scenario)
                        .pattern(options.pattern())
                        .threads(options.threads())
                        .capture(capture)
                        .run();
            }
        };
    }

    @Override
    protected String synopsis() {
        return "Usage: sim [OPTION...]      run messages, programs, connections or forged packets over a network in"
                + " virtual time, and check them";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws IOException {
        atMostOperands(options, 0);
        SimOptions sim = SimOptions.parse(options);
        Tally tally = new Tally(sim, out);
        long beginNs = System.nanoTime();
        try (PcapWriter capture = openCapture(sim)) {
            Progress progress = new Progress(sim.runs(), err);
            for (int run = 0; run < sim.runs() && isTimeLeft(sim, beginNs); run++) {
                progress.show(run);
                RunResult result = runner.run(sim.scenario(run), sim, capture);
                if (tally.isWorthALine(result)) {
                    progress.clear();
                }
                tally.add(result, record(sim, result, tally.captures()));
            }
            progress.clear();
        }
        tally.printSummary();
        if (sim.report() != null) {
            SimReport.of(tally.results).write(Path.of(sim.report()));
        }
        return tally.violations == 0 ? 0 : VIOLATED;
    }

    private static boolean isTimeLeft(SimOptions sim, long beginNs) {
        return System.nanoTime() - beginNs < TimeUnit.SECONDS.toNanos(sim.seconds());
    }

    /**
     * Repeats a run with a violation and writes its packets; in virtual time the repetition is identical. Runs without
     * violations have no overhead.
     *
     * @return the file; null without a violation, above the limit of captures, or if all packets are written anyway
     */
    private @Nullable Path record(SimOptions sim, RunResult result, int captures) throws IOException {
        if (result.violations().isEmpty() || sim.capture() != null || captures >= MAX_CAPTURES) {
            return null;
        }
        Path file = directory.resolve("sim-seed-" + result.scenario().seed() + ".pcap");
        try (PcapWriter capture = new PcapWriter(file, linkType(sim))) {
            runner.run(result.scenario(), sim, capture);
        }
        return file;
    }

    private static @Nullable PcapWriter openCapture(SimOptions sim) throws IOException {
        String file = sim.capture();
        return file == null ? null : new PcapWriter(Path.of(file), linkType(sim));
    }

    /** Link type of captures: Ethernet for topology files, raw IP for generated links. */
    private static LinkType linkType(SimOptions sim) {
        return sim.kind() == SimOptions.Kind.TOPOLOGY ? LinkType.ETHERNET : LinkType.IP;
    }

    /** Sums up results and prints violations and, with -v, all runs. */
    private static final class Tally {
        private final SimOptions options;
        private final PrintWriter out;
        private final List<Map<String, Object>> documents = new ArrayList<>();

        /** Results for the page; empty if none is requested. */
        private final List<SimReport.Run> results = new ArrayList<>();

        /** CPU time and packets of the first run, in which the JVM compiles: left out of the rate if others follow. */
        private double firstCpuSeconds;

        private long firstPackets;

        private int runs;
        private int captures;
        private long messages;
        private long packets;
        private long retransmitted;
        private long violations;

        Tally(SimOptions options, PrintWriter out) {
            this.options = options;
            this.out = out;
        }

        boolean isWorthALine(RunResult result) {
            return options.verbose() || !result.violations().isEmpty();
        }

        int captures() {
            return captures;
        }

        /** @param capture its packets, if it was repeated for them */
        void add(RunResult result, @Nullable Path capture) {
            runs++;
            if (options.report() != null) {
                results.add(SimReport.Run.of(result));
            }
            captures += capture == null ? 0 : 1;
            messages += result.messages();
            packets += result.packets();
            retransmitted += result.retransmitted();
            if (options.verbose() && !options.json()) {
                out.println(line(result));
            }
            if (!result.violations().isEmpty()) {
                report(result, capture);
            }
            violations += result.violations().size();
            if (runs == 1) {
                firstCpuSeconds = cpuSeconds();
                firstPackets = packets;
            }
        }

        private static String line(RunResult result) {
            return String.format(
                    Locale.ROOT,
                    "seed %d: %d messages, %d packets, %d retransmitted, %d violations, %.3f ms; link: %s",
                    result.scenario().seed(),
                    result.messages(),
                    result.packets(),
                    result.retransmitted(),
                    result.violations().size(),
                    result.elapsedNs() / 1e6,
                    result.network());
        }

        private void report(RunResult result, @Nullable Path capture) {
            String repro = options.repro(result.scenario());
            if (options.json()) {
                for (String violation : result.violations()) {
                    Map<String, Object> document = new LinkedHashMap<>();
                    document.put("seed", result.scenario().seed());
                    document.put("violation", violation);
                    document.put("repro", repro);
                    if (capture != null) {
                        document.put("pcap", capture.toString());
                    }
                    documents.add(document);
                }
                return;
            }
            if (options.verbose() || violations == 0) {
                List<String> trace = result.trace();
                int from = options.verbose() ? 0 : Math.max(0, trace.size() - TRACE_LINES);
                trace.subList(from, trace.size()).forEach(out::println);
            }
            for (String violation : result.violations()) {
                out.println("violation in seed " + result.scenario().seed() + ": " + violation);
            }
            out.println("to see it again: " + repro);
            if (capture != null) {
                out.println("its packets: " + capture);
            }
        }

        /** CPU time of this process, its start included. */
        private static double cpuSeconds() {
            return ProcessHandle.current()
                            .info()
                            .totalCpuDuration()
                            .orElseThrow()
                            .toMillis()
                    / 1e3;
        }

        private long packetsPerCpuSecond() {
            return runs > 1
                    ? rate(packets - firstPackets, cpuSeconds() - firstCpuSeconds)
                    : rate(packets, cpuSeconds());
        }

        /** The system counts CPU time in milliseconds. */
        private static long rate(long count, double seconds) {
            return Math.round(count / Math.max(seconds, 1e-3));
        }

        void printSummary() {
            if (options.json()) {
                Map<String, Object> document = new LinkedHashMap<>();
                document.put("runs", runs);
                document.put("messages", messages);
                document.put("packets", packets);
                document.put("retransmitted", retransmitted);
                document.put("violations", documents);
                document.put("packets_per_cpu_second", packetsPerCpuSecond());
                out.println(Json.text(document));
            } else {
                out.println(runs + " runs, " + messages + " messages, " + packets + " packets, " + retransmitted
                        + " retransmitted, " + violations + " violations");
            }
        }
    }

    /** Prints the progress at intervals, if the output is a terminal. */
    private static final class Progress {
        private final int runs;
        private final PrintWriter err;
        private final boolean wanted;
        private long nextNs = System.nanoTime() + PROGRESS_NS;
        private boolean shown;

        @SuppressWarnings("SystemConsoleNull") // null without a terminal in JDK 25
        Progress(int runs, PrintWriter err) {
            Console console = System.console();
            this.runs = runs;
            this.err = err;
            this.wanted = console != null && console.isTerminal();
        }

        void show(int run) {
            if (wanted && System.nanoTime() - nextNs > 0) {
                nextNs = System.nanoTime() + PROGRESS_NS;
                err.print("\rrun " + run + " of " + runs);
                err.flush();
                shown = true;
            }
        }

        /** Clears the progress line; must be called before other output. */
        void clear() {
            if (shown) {
                err.print("\r\033[K");
                err.flush();
                shown = false;
            }
        }
    }
}
