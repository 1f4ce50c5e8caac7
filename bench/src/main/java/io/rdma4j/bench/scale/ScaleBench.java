package io.rdma4j.bench.scale;

import io.rdma4j.bench.verbs.SelfDevice;
import io.rdma4j.control.command.Json;
import io.rdma4j.tools.report.Axis;
import io.rdma4j.tools.report.Chart;
import io.rdma4j.tools.report.Report;
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

/** {@code bench --scale}: one device, more and more queue pairs that send in turn, and in the end very many that are idle. */
public final class ScaleBench {
    private static final List<Integer> ACTIVE = List.of(1, 16, 256, 4096);
    private static final int IDLE = 100_000;
    private static final int QUICK_IDLE = 2000;

    /** Fewer, and what else the JVM does in the meantime is more than what they take. */
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
     * @param quick only to see that it works
     * @param out for the table
     * @param progress for what is being done
     */
    public ScaleBench(boolean quick, PrintWriter out, PrintWriter progress) {
        this.quick = quick;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Measures.
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
        out.printf("%nRings of %d bytes each come on top.%n", Crowd.ringBytes());
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
        try (Crowd crowd = new Crowd(device, ACTIVE.getLast() / (quick ? 16 : 1))) {
            crowd.rate(SMALL, quick ? QUICK_NS : WARM_NS);
            crowd.rate(LARGE, quick ? QUICK_NS : WARM_NS);
        }
    }

    private ScalePoint measure(SelfDevice device, int count, boolean active) throws IOException, InterruptedException {
        progress.println("bench: " + count + " queue pairs" + (active ? "" : ", idle"));
        Memory before = Memory.now();
        try (Crowd crowd = new Crowd(device, count)) {
            Memory idle = Memory.now().minus(before);
            crowd.work(SMALL);
            Memory used = Memory.now().minus(before);
            boolean weighed = crowd.size() >= ENOUGH_TO_WEIGH;
            long durationNs = quick ? QUICK_NS : MEASURED_NS;
            return new ScalePoint(
                    count,
                    weighed ? (double) idle.heap() / crowd.size() : Double.NaN,
                    weighed ? (double) used.heap() / crowd.size() : Double.NaN,
                    weighed ? (double) idle.offHeap() / crowd.size() - Crowd.ringBytes() : Double.NaN,
                    crowd.connectRate(),
                    active ? crowd.rate(SMALL, durationNs) : Double.NaN,
                    active ? crowd.rate(LARGE, durationNs) : Double.NaN);
        }
    }

    private static Report report(List<ScalePoint> points) {
        return new Report(
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
