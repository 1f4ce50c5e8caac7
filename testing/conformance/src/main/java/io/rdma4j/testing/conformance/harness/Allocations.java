// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Measures the bytes that an operation allocates on the Java heap. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MAX_ROUNDS = 40;

    private Allocations() {}

    /**
     * Runs {@code work} until a run allocates nothing, or until the JVM has compiled it. Returns the smallest
     * allocation of one run, on this thread and on those whose names begin with {@code prefix}.
     *
     * @param prefix of the device's threads
     */
    public static long inSteadyState(String prefix, Runnable work) {
        long[] threads = threads(prefix);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < MAX_ROUNDS && least > 0; i++) {
            long others = allocatedBy(threads);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            work.run();
            long own = THREADS.getCurrentThreadAllocatedBytes() - before;
            least = Math.min(least, own + allocatedBy(threads) - others);
        }
        return least;
    }

    private static long[] threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .mapToLong(Thread::threadId)
                .toArray();
    }

    private static long allocatedBy(long[] threads) {
        return Arrays.stream(THREADS.getThreadAllocatedBytes(threads)).sum();
    }
}
