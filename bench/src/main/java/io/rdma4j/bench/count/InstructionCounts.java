// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import io.rdma4j.bench.count.profile.InstructionProfile;
import io.rdma4j.bench.count.trace.TracingRefusedException;
import io.rdma4j.bench.process.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts the instructions of operations, without those inside the kernel, in a warm JVM that it starts. The count of an
 * operation is the median, because the compiler and the clock disturb some of them.
 */
public final class InstructionCounts {
    private static final int MOST_STEPS = 1_000_000;
    private static final int ATTEMPTS = 3;
    private static final long PAUSE_MS = 5;

    /** A child that waits for one of its stopped threads would never end. */
    private static final long LIMIT_S = 240;

    private InstructionCounts() {}

    /** Returns why this machine cannot count; null if it can, unless it refuses to trace. */
    public static @Nullable String missing() {
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        return system.equals("Linux amd64") ? null : "instructions are counted on Linux amd64 only, not on " + system;
    }

    /**
     * Counts the operations of a subject.
     *
     * @param samples how often each is counted
     * @param profile receives the addresses of the instructions; null for none
     * @throws IOException if an operation has no count; a {@link TracingRefusedException} if the system does not permit
     *     tracing
     */
    public static Map<CountedOperation, Integer> of(Subject subject, int samples, @Nullable InstructionProfile profile)
            throws IOException, InterruptedException {
        Path file = Files.createTempFile("rdma4j-count", ".words");
        List<String> command = OwnJvm.command("-XX:+UseSerialGC", "-Xbatch");
        if (profile != null) {
            command.add(1, profile.option());
        }
        command.addAll(List.of(CountedProgram.class.getName(), file.toString(), subject.name()));
        try (OperationMarks marks = new OperationMarks(file)) {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            CompletableFuture.delayedExecutor(LIMIT_S, TimeUnit.SECONDS).execute(process::destroyForcibly);
            try {
                while (marks.ready() == 0) {
                    if (process.waitFor(PAUSE_MS, TimeUnit.MILLISECONDS)) {
                        throw new IOException("the JVM has ended with exit code " + process.exitValue());
                    }
                }
                return medians(marks, process, samples, profile);
            } finally {
                process.destroyForcibly().waitFor();
            }
        } finally {
            Files.delete(file);
        }
    }

    private static Map<CountedOperation, Integer> medians(
            OperationMarks marks, Process process, int samples, @Nullable InstructionProfile profile)
            throws IOException, InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (StepCounter counter = new StepCounter(marks, process.pid(), profile)) {
                Map<CountedOperation, List<Integer>> counts = counter.count(samples, MOST_STEPS);
                if (StepCounter.hasAll(counts, samples)) {
                    return medians(counts);
                }
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
        throw new IOException("the operations did not end within " + MOST_STEPS + " instructions");
    }

    private static Map<CountedOperation, Integer> medians(Map<CountedOperation, List<Integer>> counts) {
        Map<CountedOperation, Integer> medians = new EnumMap<>(CountedOperation.class);
        counts.forEach((operation, each) -> medians.put(operation, median(each)));
        int nothing = Objects.requireNonNull(medians.remove(CountedOperation.NOTHING));
        medians.replaceAll((_, count) -> count - nothing);
        return medians;
    }

    private static int median(List<Integer> counts) {
        List<Integer> sorted = new ArrayList<>(counts);
        sorted.sort(null);
        return sorted.get(sorted.size() / 2);
    }
}
