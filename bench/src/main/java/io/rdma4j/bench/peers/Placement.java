package io.rdma4j.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Where two processes run. Two CPUs may share a cache or not, and the host of a virtual machine may move them while we measure: what
 * crosses between them then costs several times as much. A probe before each round says how it is, and whether others use the CPUs:
 * figures of a busy machine are worth little, since both ends of what is measured spin.
 */
final class Placement {
    /** A round trip of 64 bytes through memory takes less if the CPUs share a cache. */
    private static final double NEAR_US = 0.3;

    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final long LOOK_MS = 300;

    /** Of the 30 a CPU: what a machine with nothing to do uses. */
    private static final long MOST_BUSY_TICKS = 4;

    private static final String PROBE = "place";
    private static final int PROBE_COUNT = 20_000;

    private final Measurement measurement;
    private final Contender probe;

    Placement(Measurement measurement, LimitPrograms limits) {
        this.measurement = measurement;
        this.probe = limits.contender(PROBE, Reading.field("p50_us", 1), "shm", "put", 64, PROBE_COUNT);
    }

    /** {@code near} or {@code far}, {@code unknown} if the probe does not run; and {@code busy} if others are at work. */
    String now() throws InterruptedException {
        return isBusy() ? distance() + " busy" : distance();
    }

    /** Nothing of ours runs meanwhile, so whoever uses the CPUs is somebody else. */
    private static boolean isBusy() throws InterruptedException {
        long before = busyTicks();
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        return busyTicks() - before > MOST_BUSY_TICKS;
    }

    /** Hundredths of a second that all CPUs were used so far: user, nice and system time. */
    private static long busyTicks() {
        List<String> words =
                SPACE.splitAsStream(firstLine(Path.of("/proc/stat"))).toList();
        return words.size() < 4
                ? 0
                : words.subList(1, 4).stream().mapToLong(Long::parseLong).sum();
    }

    private String distance() throws InterruptedException {
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
