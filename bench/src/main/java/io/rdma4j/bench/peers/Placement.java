package io.rdma4j.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where two processes run. Two CPUs may share a cache or not, and the host of a virtual machine may move them while we measure: what
 * crosses between them then costs several times as much. A probe before each round says how it is.
 */
final class Placement {
    /** A round trip of 64 bytes through memory takes less if the CPUs share a cache. */
    private static final double NEAR_US = 0.3;

    private static final String PROBE = "place";
    private static final int PROBE_COUNT = 20_000;

    private final Measurement measurement;
    private final Contender probe;

    Placement(Measurement measurement, LimitPrograms limits) {
        this.measurement = measurement;
        this.probe = limits.contender(PROBE, Reading.field("p50_us", 1), "shm", "put", 64, PROBE_COUNT);
    }

    /** {@code near} or {@code far}; {@code unknown} if the probe does not run. */
    String now() throws InterruptedException {
        if (probe.missing() != null) {
            return "unknown";
        }
        try {
            return measurement.run(probe) < NEAR_US ? "near" : "far";
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** What is known of the machine. */
    static Map<String, Object> machine() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("processor", firstField(Path.of("/proc/cpuinfo"), "model name"));
        facts.put("cpus", Runtime.getRuntime().availableProcessors());
        facts.put("lastLevelCacheSharedBy", line(Path.of("/sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list")));
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

    private static String line(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
