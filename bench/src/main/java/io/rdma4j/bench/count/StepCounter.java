// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import io.rdma4j.bench.count.profile.InstructionProfile;
import io.rdma4j.bench.count.trace.TracedThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the thread that {@link OperationMarks} names step by step, and counts the instructions of each operation. The
 * loop threads of its process are stopped meanwhile, so that they do not do the work of a thread that is some thousand
 * times slower than usual.
 */
final class StepCounter implements AutoCloseable {
    /** Begin of the names of threads that rdma4j starts. */
    private static final String OWN_THREADS = "rdma4j-";

    private final OperationMarks marks;
    private final @Nullable InstructionProfile profile;
    private final List<TracedThread> stopped = new ArrayList<>();

    /**
     * Stops the threads.
     *
     * @param profile receives the addresses of the instructions; null: they are not read
     * @throws IOException if the system does not permit it, or the process has ended
     */
    StepCounter(OperationMarks marks, long process, @Nullable InstructionProfile profile) throws IOException {
        this.marks = marks;
        this.profile = profile;
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process + "/task"))) {
            stopped.add(TracedThread.stop(marks.ready()));
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("comm")).startsWith(OWN_THREADS)) {
                    stopped.add(TracedThread.stop(Integer.parseInt(String.valueOf(thread.getFileName()))));
                }
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Counts until each operation that occurs was counted {@code samples} times; returns the counts of each.
     *
     * @param mostSteps number of instructions after which it gives up: a stopped thread may hold the lock of its loop
     */
    Map<CountedOperation, List<Integer>> count(int samples, int mostSteps) throws IOException {
        Map<CountedOperation, List<Integer>> counts = new EnumMap<>(CountedOperation.class);
        TracedThread counted = stopped.getFirst();
        boolean whole = false;
        int inside = 0;
        long before = marks.state();
        for (int steps = 0; steps < mostSteps && !hasAll(counts, samples); steps++) {
            if (profile != null) {
                profile.step(counted.address());
            }
            counted.step();
            inside++;
            long state = marks.state();
            if (state == OperationMarks.BUSY && before != OperationMarks.BUSY) {
                whole = true;
                inside = 0;
                begin();
            } else if (whole && state >= 0 && before == OperationMarks.BUSY) {
                counts.computeIfAbsent(CountedOperation.values()[(int) state], _ -> new ArrayList<>())
                        .add(inside);
                end(CountedOperation.values()[(int) state]);
            }
            before = state;
        }
        return counts;
    }

    private void begin() {
        if (profile != null) {
            profile.begin();
        }
    }

    private void end(CountedOperation operation) {
        if (profile != null && operation != CountedOperation.NOTHING) {
            profile.end(operation.toString());
        }
    }

    /** One of the counts is that of nothing. */
    static boolean hasAll(Map<CountedOperation, List<Integer>> counts, int samples) {
        return counts.size() > 1 && counts.values().stream().allMatch(list -> list.size() >= samples);
    }

    /** Lets the threads run again that have not ended. */
    @Override
    public void close() {
        for (TracedThread thread : stopped.reversed()) {
            thread.close();
        }
    }
}
