// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Determines the CPU placement of two processes. Two CPUs may share a cache or not, and the host of a virtual machine
 * may migrate them during a run. Without a shared cache, transfers take several times as long. A probe before and after
 * each contender measures this. Before each round it is determined whether other processes use the CPUs. Results
 * of a busy machine are unreliable, since both measured processes spin.
 */
final class Placement {
    static final String NEAR = "near";
    static final String FAR = "far";

    /** The place has changed during a run. */
    static final String MIXED = "mixed";

    /** The probe does not run. */
    static final String UNKNOWN = "unknown";

    /** A round trip of 64 bytes through memory is shorter than this if the CPUs share a cache. */
    private static final double NEAR_US = 0.3;

    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final long LOOK_MS = 300;

    /** Of the 30 per CPU: an idle machine uses fewer. */
    private static final long MOST_BUSY_TICKS = 4;

    private static final String PROBE = "place";
    private static final int PROBE_COUNT = 5_000;

    private final Measurement measurement;
    private final Contender probe;

    Placement(Measurement measurement, LimitPrograms limits) {
        this.measurement = measurement;
        this.probe = limits.contender(PROBE, Reading.field("p50_us", 1), "shm", "put", 64, PROBE_COUNT);
    }

    /** Measures the load while no process of the benchmark runs, so that any load comes from others. */
    static boolean isBusy() throws InterruptedException {
        long before = busyTicks();
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        return busyTicks() - before > MOST_BUSY_TICKS;
    }

    /** Total CPU time in hundredths of a second: user, nice and system time. */
    private static long busyTicks() {
        List<String> words =
                SPACE.splitAsStream(firstLine(Path.of("/proc/stat"))).toList();
        return words.size() < 4
                ? 0
                : words.subList(1, 4).stream().mapToLong(Long::parseLong).sum();
    }

    /** Returns the place of a run with these places before and after it. */
    static String during(String before, String after) {
        return before.equals(after) ? before : MIXED;
    }

    /** Returns {@link #NEAR}, {@link #FAR} or {@link #UNKNOWN}. */
    String now() throws InterruptedException {
        if (probe.missing() != null) {
            return UNKNOWN;
        }
        try {
            return measurement.run(probe).value() < NEAR_US ? NEAR : FAR;
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** Returns properties of the machine. */
    static Map<String, Object> machine() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("processor", firstField(Path.of("/proc/cpuinfo"), "model name"));
        facts.put("cpus", Runtime.getRuntime().availableProcessors());
        facts.put(
                "lastLevelCacheSharedBy",
                firstLine(Path.of("/sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list")));
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        return facts;
    }

    private static String firstField(Path file, String name) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith(name))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String firstLine(Path file) {
        try {
            return Files.readString(file).lines().findFirst().orElse("unknown").strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
