// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.rdma4j.bench.count.trace.TracingRefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Instructions of the operations, counted in warm JVMs. The counts do not depend on the load of the machine, but on
 * what the compiler inlines, which differs between two JVMs: an operation over its ceiling is counted again in another
 * JVM. A ceiling that every JVM exceeds shows code that was added to the path of every message; where a count has
 * become smaller, lower the ceiling in {@link CountedOperation} towards its target.
 */
@Timeout(300)
class BudgetTest {
    private static final int SAMPLES = 5;

    private static final int JVMS = 3;

    /** One for each CPU of a small machine; most of the time goes into compilation. */
    private static final int THREADS = 2;

    @Test
    void noOperationExceedsItsCeiling() throws InterruptedException, ExecutionException {
        String missing = InstructionCounts.missing();
        if (missing != null) {
            abort(missing);
        }
        Map<CountedOperation, Integer> counts = counts();

        assertThat(counts).hasSize(CountedOperation.values().length - 1);
        assertThat(counts)
                .allSatisfy((operation, count) -> assertThat(count)
                        .as("%s; the target is %d", operation, operation.target())
                        .isBetween(1, operation.ceiling()));
    }

    private static Map<CountedOperation, Integer> counts() throws InterruptedException, ExecutionException {
        List<Callable<Map<CountedOperation, Integer>>> tasks = new ArrayList<>();
        // The last ones take longest.
        List.of(Subject.values()).reversed().forEach(subject -> tasks.add(() -> least(subject)));
        Map<CountedOperation, Integer> counts = new EnumMap<>(CountedOperation.class);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (Future<Map<CountedOperation, Integer>> future : threads.invokeAll(tasks)) {
                counts.putAll(future.get());
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TracingRefusedException refused) {
                abort("the system does not permit to trace a child process: " + refused.getMessage());
            }
            throw e;
        }
        return counts;
    }

    private static Map<CountedOperation, Integer> least(Subject subject) throws IOException, InterruptedException {
        Map<CountedOperation, Integer> counts = InstructionCounts.of(subject, SAMPLES, null);
        for (int jvm = 1; jvm < JVMS && !withinCeilings(counts); jvm++) {
            InstructionCounts.of(subject, SAMPLES, null)
                    .forEach((operation, count) -> counts.merge(operation, count, Math::min));
        }
        return counts;
    }

    private static boolean withinCeilings(Map<CountedOperation, Integer> counts) {
        return counts.entrySet().stream()
                .allMatch(count -> count.getValue() <= count.getKey().ceiling());
    }
}
