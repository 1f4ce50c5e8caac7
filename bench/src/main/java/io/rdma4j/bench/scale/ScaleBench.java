// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.scale;

import io.rdma4j.bench.verbs.SelfDevice;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.report.Axis;
import io.rdma4j.tools.report.Chart;
import io.rdma4j.tools.report.HtmlReport;
import io.rdma4j.tools.report.RunInfo;
import io.rdma4j.tools.report.Series;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@code bench --scale}: one device with an increasing number of queue pairs that send in turn, and finally a very
 * large number of idle ones.
 */
public final class ScaleBench {
    private static final List<Integer> ACTIVE = List.of(1, 16, 256, 4096);
    private static final int IDLE = 100_000;
    private static final int QUICK_IDLE = 2000;

    /** With fewer queue pairs other memory changes of the JVM exceed their memory. */
    private static final int ENOUGH_TO_WEIGH = 1000;

    private static final int SMALL = 64;
    private static final int LARGE = 4096;
    private static final long WARM_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long MEASURED_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long QUICK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final boolean quick;
    private final PrintWriter out;
    private final PrintWriter progress;

    /**
     * @param quick short runs as a test of the benchmark
     * @param out receives the table
     * @param progress receives progress messages
     */
    public ScaleBench(boolean quick, PrintWriter out, PrintWriter progress) {
        this.quick = quick;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Runs all points.
     *
     * @param json file for the document; null for none
     * @param report file for the page; null for none
     */
    public void run(@Nullable Path json, @Nullable Path report) throws IOException, InterruptedException {
        List<ScalePoint> points = new ArrayList<>();
        try (SelfDevice device = new SelfDevice()) {
            warmUp(device);
            for (int count : ACTIVE) {
                points.add(measure(device, count, true));
            }
            points.add(measure(device, quick ? QUICK_IDLE : IDLE, false));
        }
        out.print(ScalePoint.heading());
        points.forEach(point -> out.print(point.line()));
        out.printf("%nRings of %d bytes of heap each come on top.%n", ManyQps.ringBytes());
        if (json != null) {
            Files.writeString(
                    json, Json.text(points.stream().map(ScalePoint::json).toList()) + "\n");
        }
        if (report != null) {
            report(points).write(report);
        }
    }

    private void warmUp(SelfDevice device) {
        progress.println("bench: warming up");
        try (ManyQps queuePairs = new ManyQps(device, ACTIVE.getLast() / (quick ? 16 : 1))) {
            queuePairs.rate(SMALL, quick ? QUICK_NS : WARM_NS);
            queuePairs.rate(LARGE, quick ? QUICK_NS : WARM_NS);
        }
    }

    private ScalePoint measure(SelfDevice device, int count, boolean active) throws IOException, InterruptedException {
        progress.println("bench: " + count + " queue pairs" + (active ? "" : ", idle"));
        Memory before = Memory.now();
        try (ManyQps queuePairs = new ManyQps(device, count)) {
            Memory idle = Memory.now().minus(before);
            queuePairs.work(SMALL);
            Memory used = Memory.now().minus(before);
            boolean weighed = queuePairs.size() >= ENOUGH_TO_WEIGH;
            long durationNs = quick ? QUICK_NS : MEASURED_NS;
            return new ScalePoint(
                    count,
                    weighed ? (double) idle.heap() / queuePairs.size() - ManyQps.ringBytes() : Double.NaN,
                    weighed ? (double) used.heap() / queuePairs.size() - ManyQps.ringBytes() : Double.NaN,
                    weighed ? (double) idle.offHeap() / queuePairs.size() : Double.NaN,
                    queuePairs.connectRate(),
                    active ? queuePairs.rate(SMALL, durationNs) : Double.NaN,
                    active ? queuePairs.rate(LARGE, durationNs) : Double.NaN);
        }
    }

    private static HtmlReport report(List<ScalePoint> points) {
        return new HtmlReport(
                "Many queue pairs of one device",
                RunInfo.ofThisProcess(),
                List.of(
                        chart(
                                "Messages",
                                "messages a second",
                                curve("64 bytes", points, ScalePoint::smallRate),
                                curve("4096 bytes", points, ScalePoint::largeRate)),
                        chart(
                                "Connecting",
                                "connected queue pairs a second",
                                curve("connected", points, ScalePoint::connectRate)),
                        chart(
                                "Memory",
                                "bytes of a queue pair beyond its rings",
                                curve("heap, idle", points, ScalePoint::heapBytes),
                                curve("heap, after a message", points, ScalePoint::usedHeapBytes),
                                curve("off-heap", points, ScalePoint::offHeapBytes))));
    }

    private static Chart chart(String title, String unit, Series... curves) {
        return new Chart(title, Axis.LOGARITHMIC, "queue pairs", Axis.LOGARITHMIC, unit, List.of(curves));
    }

    private static Series curve(String name, List<ScalePoint> points, ToDoubleFunction<ScalePoint> value) {
        return new Series(
                name,
                points.stream()
                        .map(point -> new Series.Point(point.queuePairs(), value.applyAsDouble(point)))
                        .toList());
    }
}
