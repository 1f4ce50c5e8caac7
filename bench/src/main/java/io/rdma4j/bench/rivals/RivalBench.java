// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code bench --peers}: measures, prints and records the table of targets. */
public final class RivalBench {
    private final RivalOptions options;
    private final PrintWriter out;
    private final PrintWriter progress;

    /**
     * @param out receives the table
     * @param progress receives progress messages
     */
    public RivalBench(RivalOptions options, PrintWriter out, PrintWriter progress) {
        this.options = options;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Runs the chosen rows.
     *
     * @throws UsageException if no row is chosen
     */
    public void run() throws IOException, InterruptedException {
        Effort effort = options.quick() ? Effort.QUICK : Effort.FULL;
        Measurement measurement = new Measurement(TimeUnit.SECONDS.toNanos(60));
        Installed installed = new Installed(Objects.requireNonNullElse(System.getenv("PATH"), ""));
        LimitPrograms limits = LimitPrograms.build(options.root(), installed, progress);
        JavaRivals javaPeers = options.quick() || options.alone()
                ? JavaRivals.without("left out by --quick")
                : JavaRivals.build(options.root(), installed, progress);
        startTools();
        RivalCalls programs = new RivalCalls(options.tools(), installed, javaPeers);
        List<Row> rows = chosen(new Rows(programs, limits, installed, effort).all());
        Placement placement = new Placement(measurement, limits);
        Progress clock = new Progress(progress, rows, options.runs());
        List<RowResult> results = new CopyOnWriteArrayList<>();
        Thread last = Thread.ofPlatform().unstarted(() -> print(results));
        Runtime.getRuntime().addShutdownHook(last);
        for (Row row : rows) {
            RowResult result = new RowResult(row);
            results.add(result);
            for (int round = 1; round <= options.runs(); round++) {
                measure(result, round, measurement, placement, clock);
                record(results);
            }
        }
        Runtime.getRuntime().removeShutdownHook(last);
        print(results);
    }

    /** Also prints the results of a run that is interrupted. */
    private void print(List<RowResult> results) {
        out.print(ResultTable.text(results));
        out.flush();
    }

    /** Starts the tools once before the measurements, because the launcher may build them first. */
    private void startTools() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(options.tools());
        command.add("--version");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("our tools do not start: " + String.join(" ", command));
        }
    }

    private List<Row> chosen(List<Row> rows) {
        Pattern pattern = Pattern.compile(options.rows());
        List<Row> chosen = rows.stream()
                .filter(row -> pattern.matcher(row.id()).find())
                .map(row -> options.alone() ? row.alone() : row)
                .toList();
        if (chosen.isEmpty()) {
            throw new UsageException("no row fits " + options.rows() + "; there are "
                    + String.join(", ", rows.stream().map(Row::id).toList()));
        }
        return chosen;
    }

    private void measure(RowResult result, int round, Measurement measurement, Placement placement, Progress clock)
            throws InterruptedException {
        if (!options.quick() && Placement.isBusy()) {
            result.busy();
        }
        String before = placement.now();
        for (Contender contender : result.row().contenders()) {
            clock.next(result.row(), contender, round);
            if (!result.canRun(contender)) {
                continue;
            }
            try {
                Sample sample = measurement.run(contender);
                String after = placement.now();
                result.add(contender, sample.at(Placement.during(before, after)));
                before = after;
            } catch (IOException e) {
                result.fail(contender, String.valueOf(e.getMessage()));
                before = placement.now();
            }
        }
    }

    /** Writes the results after each round, so that an interrupted run keeps them. */
    private void record(List<RowResult> results) throws IOException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("machine", Placement.machine());
        document.put("runs", options.runs());
        document.put("quick", options.quick());
        document.put(
                "rows",
                results.stream()
                        .flatMap(result -> result.byPlace().stream())
                        .map(RowResult::json)
                        .toList());
        write(options.json(), Json.text(document) + "\n");
        if (options.report() != null) {
            ResultPage.of(results, options.runs()).write(options.report());
        }
    }

    /** Replaces the file at once, so that an interrupt leaves the former one. */
    private static void write(@Nullable Path file, String text) throws IOException {
        if (file != null) {
            Path next = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(next, text);
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
