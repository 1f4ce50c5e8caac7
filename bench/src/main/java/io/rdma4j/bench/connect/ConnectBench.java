// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.connect;

import io.rdma4j.bench.scale.Memory;
import io.rdma4j.netlab.command.shell.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code bench --connections}: connections one after the other, by rdma_cm and by TCP in turns, and many connections of
 * rdma_cm at once. Both ends are in this process, on the loopback interface.
 */
public final class ConnectBench {
    private static final int ROUNDS = 5;
    private static final int CONNECTIONS = 1000;
    private static final int HELD = 10_000;
    private static final int QUICK = 20;

    private final boolean quick;
    private final PrintWriter out;
    private final PrintWriter progress;

    /**
     * Makes the benchmark.
     *
     * @param quick short runs as a test of the benchmark
     * @param out receives the table
     * @param progress receives progress messages
     */
    public ConnectBench(boolean quick, PrintWriter out, PrintWriter progress) {
        this.quick = quick;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Runs everything.
     *
     * @param json file for the document; null for none
     */
    public void run(@Nullable Path json) throws IOException, InterruptedException {
        int connections = quick ? QUICK : CONNECTIONS;
        List<Round> byCm = new ArrayList<>();
        List<Round> byTcp = new ArrayList<>();
        Map<String, Object> document = new LinkedHashMap<>();
        try (CmSide cm = new CmSide();
                TcpSide tcp = new TcpSide(InetAddress.getLoopbackAddress())) {
            progress.println("bench: warming up");
            cm.round(connections);
            tcp.round(connections);
            for (int i = 1; i <= ROUNDS; i++) {
                progress.println("bench: round " + i + " of " + ROUNDS);
                byCm.add(cm.round(connections));
                byTcp.add(tcp.round(connections));
            }
            print("rdma_cm", byCm, document);
            print("TCP", byTcp, document);
            double ratio = Round.medianRate(byCm) / Round.medianRate(byTcp);
            out.printf("%nrdma_cm makes %.2f times as many connections a second as TCP.%n", ratio);
            document.put("ratio", ratio);
            hold(cm, quick ? QUICK : HELD, document);
        }
        if (json != null) {
            Files.writeString(json, Json.text(document) + "\n");
        }
    }

    private void print(String name, List<Round> rounds, Map<String, Object> document) {
        out.printf(
                "%n%s: %.0f connections a second (%.0f to %.0f in %d rounds)%n",
                name,
                Round.medianRate(rounds),
                rounds.stream().mapToDouble(Round::rate).min().orElseThrow(),
                rounds.stream().mapToDouble(Round::rate).max().orElseThrow(),
                rounds.size());
        out.printf("  %-14s %12s %12s%n", "step", "median us", "99 % us");
        Map<String, Object> steps = new LinkedHashMap<>();
        for (String step : rounds.getFirst().steps()) {
            double median = Round.percentileUs(rounds, step, 0.5);
            double high = Round.percentileUs(rounds, step, 0.99);
            out.printf("  %-14s %12.1f %12.1f%n", step, median, high);
            steps.put(step, Map.of("median_us", median, "p99_us", high));
        }
        document.put(name, Map.of("rate", Round.medianRate(rounds), "steps", steps));
    }

    private void hold(CmSide cm, int count, Map<String, Object> document) throws IOException, InterruptedException {
        progress.println("bench: " + count + " connections at once");
        Memory before = Memory.now();
        long startNs = System.nanoTime();
        cm.hold(count);
        double seconds = (System.nanoTime() - startNs) / 1e9;
        Memory used = Memory.now().minus(before);
        double heap = (double) used.heap() / count;
        double offHeap = (double) used.offHeap() / count;
        cm.release();
        out.printf(
                "%n%d connections at once: made in %.1f s; each takes %.0f bytes of heap and %.0f others, with both ends%n",
                count, seconds, heap, offHeap);
        document.put("held", Map.of("connections", count, "seconds", seconds, "heap", heap, "off_heap", offHeap));
    }
}
