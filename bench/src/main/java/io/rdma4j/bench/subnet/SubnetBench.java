// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.subnet;

import io.rdma4j.netlab.command.shell.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code bench --subnets}: fat trees of about 10, 100 and 1,000 nodes, with {@code --large} also of 10,000: time of
 * the first sweep, of a sweep that changes nothing, and of one after the loss of a link; datagrams per second of the
 * manager and of hosts.
 */
public final class SubnetBench {
    private static final int RUNS = 3;
    private static final int PACKETS = 200_000;
    private static final int QUICK_PACKETS = 1_000;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_S = 1e9;

    /** The third one is that of 960 adapters and 60 switches. */
    private static final List<FatTree.Shape> SHAPES = List.of(
            new FatTree.Shape(2, 3, 2),
            new FatTree.Shape(5, 18, 5),
            new FatTree.Shape(48, 20, 12),
            new FatTree.Shape(240, 40, 60));

    private final boolean quick;
    private final boolean large;
    private final PrintWriter out;
    private final PrintWriter progress;

    /** The times of one run. */
    private record Result(long firstNs, long firstDatagrams, long againNs, long cutNs, long sendNs, long arrived) {
        private double perSecond() {
            return firstDatagrams * NS_PER_S / firstNs;
        }

        private double packetsPerSecond() {
            return arrived * NS_PER_S / sendNs;
        }

        private Map<String, Object> document() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("first_sweep_ms", firstNs / NS_PER_MS);
            members.put("datagrams", firstDatagrams);
            members.put("datagrams_per_second", perSecond());
            members.put("unchanged_sweep_ms", againNs / NS_PER_MS);
            members.put("lost_link_ms", cutNs / NS_PER_MS);
            members.put("packets_per_second", packetsPerSecond());
            return members;
        }
    }

    /**
     * Makes the benchmark.
     *
     * @param quick the smallest tree once, as a test of the benchmark
     * @param large also 10,000 nodes
     * @param out receives the table
     * @param progress receives progress messages
     */
    public SubnetBench(boolean quick, boolean large, PrintWriter out, PrintWriter progress) {
        this.quick = quick;
        this.large = large;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Runs everything.
     *
     * @param json file for the document; null for none
     */
    public void run(@Nullable Path json) throws IOException {
        Map<String, Object> document = new LinkedHashMap<>();
        out.printf(
                "%8s %14s %12s %14s %16s %14s %14s%n",
                "nodes", "first sweep ms", "datagrams", "datagrams/s", "unchanged ms", "lost link ms", "packets/s");
        for (FatTree.Shape shape : SHAPES.subList(0, quick ? 1 : large ? SHAPES.size() : SHAPES.size() - 1)) {
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < (quick ? 1 : RUNS); i++) {
                progress.println("bench: " + shape.nodes() + " nodes, run " + (i + 1));
                progress.flush();
                results.add(measure(shape));
            }
            results.sort(Comparator.comparingLong(Result::firstNs));
            Result median = results.get(results.size() / 2);
            out.printf(
                    "%8d %14.1f %12d %14.0f %16.1f %14.1f %14.0f%n",
                    shape.nodes(),
                    median.firstNs / NS_PER_MS,
                    median.firstDatagrams,
                    median.perSecond(),
                    median.againNs / NS_PER_MS,
                    median.cutNs / NS_PER_MS,
                    median.packetsPerSecond());
            out.flush();
            document.put(String.valueOf(shape.nodes()), median.document());
        }
        if (json != null) {
            Files.writeString(json, Json.text(document) + "\n");
        }
    }

    private Result measure(FatTree.Shape shape) {
        try (FatTree tree = new FatTree(shape)) {
            long firstNs = time(() -> tree.awaitUp(1));
            long datagrams = tree.datagrams();
            long againNs = time(tree::sweep);
            long cutNs = time(tree::cut);
            long[] arrived = {0};
            long sendNs = time(() -> arrived[0] = tree.send(quick ? QUICK_PACKETS : PACKETS));
            return new Result(firstNs, datagrams, againNs, cutNs, sendNs, arrived[0]);
        }
    }

    private static long time(Runnable action) {
        long startNs = System.nanoTime();
        action.run();
        return System.nanoTime() - startNs;
    }
}
