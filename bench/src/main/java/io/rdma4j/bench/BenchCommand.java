// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench;

import io.rdma4j.bench.connect.ConnectBench;
import io.rdma4j.bench.count.CountBench;
import io.rdma4j.bench.count.profile.InstructionProfile;
import io.rdma4j.bench.rivals.RivalBench;
import io.rdma4j.bench.rivals.RivalOptions;
import io.rdma4j.bench.scale.ScaleBench;
import io.rdma4j.bench.subnet.SubnetBench;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** {@code bench}: runs the benchmarks. */
final class BenchCommand extends GetoptCommand {
    /** System property that the launcher sets: the project's root directory. */
    private static final String HOME = "rdma4j.home";

    private static final int USAGE = 2;
    private static final int MAX_RUNS = 100;
    private static final int RUNS = 3;

    private static final String JMH = "jmh";
    private static final String PEERS = "peers";
    private static final String SCALE = "scale";
    private static final String CONNECTIONS = "connections";
    private static final String SUBNETS = "subnets";
    private static final String LARGE = "large";
    private static final String COUNT = "count";
    private static final String METHODS = "methods";
    private static final String QUICK = "quick";
    private static final String ALONE = "alone";
    private static final String ROWS = "rows";
    private static final String TIMES = "runs";
    private static final String DOCUMENT = "json";
    private static final String PAGE = "report";

    BenchCommand() {
        super(
                "bench",
                USAGE,
                Option.flag(Option.NO_LETTER, PEERS, "the table of targets: ours, the machine's limits, and others"),
                Option.flag(Option.NO_LETTER, SCALE, "what many queue pairs cost"),
                Option.flag(Option.NO_LETTER, CONNECTIONS, "what connections of rdma_cm cost, beside TCP"),
                Option.flag(Option.NO_LETTER, SUBNETS, "sweeps of InfiniBand subnets of 10 to 1,000 nodes"),
                Option.flag(Option.NO_LETTER, LARGE, "with --subnets: 10,000 nodes as well, which takes minutes"),
                Option.flag(Option.NO_LETTER, COUNT, "instructions of single operations, beside their budgets"),
                Option.flag(Option.NO_LETTER, METHODS, "with --count: in which packages and methods they are"),
                Option.flag(Option.NO_LETTER, JMH, "run the benchmarks of single parts by JMH"),
                Option.value(Option.NO_LETTER, ROWS, "pattern", "rows of the table whose names fit (default all)"),
                Option.value(Option.NO_LETTER, TIMES, "num", "how often each is run (default " + RUNS + ")"),
                Option.flag(Option.NO_LETTER, ALONE, "ours and the limits only, without the others"),
                Option.flag(Option.NO_LETTER, QUICK, "one short run each: not for figures, only to see that it works"),
                Option.value(Option.NO_LETTER, DOCUMENT, "file", "write the results as JSON"),
                Option.value(Option.NO_LETTER, PAGE, "file", "write a page with plots (HTML)"));
    }

    @Override
    protected String synopsis() {
        return """
            Usage: bench --peers [OPTION...]   ours beside the limits of the machine and beside others
                   bench --scale [OPTION...]   memory, connect rate and throughput of many queue pairs
                   bench --connections [OPTION...]   connections of rdma_cm, one by one beside TCP, and many at once
                   bench --subnets [--large] [OPTION...]   times of the subnet manager by the number of nodes
                   bench --count [--quick] [--methods]   instructions of single operations, counted step by step
                   bench --jmh [<pattern>...]  parts one by one, those whose names fit a pattern\
            """;
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        if (options.has(JMH)) {
            return jmh(options.operands());
        }
        atMostOperands(options, 0);
        if (options.has(PEERS)) {
            new RivalBench(peers(options), out, err).run();
            return 0;
        }
        if (options.has(SCALE)) {
            new ScaleBench(options.has(QUICK), out, err).run(file(options, DOCUMENT), file(options, PAGE));
            return 0;
        }
        if (options.has(CONNECTIONS)) {
            new ConnectBench(options.has(QUICK), out, err).run(file(options, DOCUMENT));
            return 0;
        }
        if (options.has(SUBNETS)) {
            new SubnetBench(options.has(QUICK), options.has(LARGE), out, err).run(file(options, DOCUMENT));
            return 0;
        }
        if (options.has(COUNT)) {
            InstructionProfile profile = options.has(METHODS) ? InstructionProfile.build(root()) : null;
            new CountBench(options.has(QUICK), profile, out, err).run();
            return 0;
        }
        throw new UsageException("say what to measure: --peers, --scale, --connections, --subnets, --count or --jmh");
    }

    private static RivalOptions peers(Options options) {
        String rows = options.text(ROWS);
        boolean quick = options.has(QUICK);
        Path root = root();
        return new RivalOptions(
                root,
                rows == null ? "" : rows,
                options.number(TIMES, quick ? 1 : RUNS, 1, MAX_RUNS),
                quick,
                options.has(ALONE),
                List.of(root.resolve("rdma4j").toString()),
                file(options, DOCUMENT),
                file(options, PAGE));
    }

    private static Path root() {
        return Path.of(System.getProperty(HOME, "")).toAbsolutePath();
    }

    private static @Nullable Path file(Options options, String name) {
        String text = options.text(name);
        return text == null ? null : Path.of(text);
    }

    /** Runs JMH with the allocation profiler, which shows allocations in paths that must not allocate. */
    private static int jmh(List<String> patterns) throws IOException {
        OptionsBuilder jmh = new OptionsBuilder();
        patterns.forEach(jmh::include);
        jmh.addProfiler(GCProfiler.class);
        try {
            new Runner(jmh.build()).run();
            return 0;
        } catch (RunnerException e) {
            throw new IOException("JMH: " + e.getMessage(), e);
        }
    }
}
