package io.rdma4j.bench;

import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** {@code bench}: how fast all this is. */
final class BenchCommand extends GetoptCommand {
    private static final int USAGE = 2;

    private static final String JMH = "jmh";

    BenchCommand() {
        super("bench", USAGE, Option.flag(Option.NO_LETTER, JMH, "run the benchmarks of single parts by JMH"));
    }

    @Override
    protected String synopsis() {
        return """
                Usage: bench --jmh [<pattern>...]  parts one by one, those whose names fit a pattern""";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        if (options.has(JMH)) {
            return jmh(options.operands());
        }
        throw new UsageException("say what to measure: --jmh");
    }

    /** With the profiler that counts allocated bytes: a path that shall allocate nothing shows here if it does. */
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
