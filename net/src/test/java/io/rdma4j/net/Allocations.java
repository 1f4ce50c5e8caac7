package io.rdma4j.net;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measures the bytes that a task allocates on the Java heap. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 6;

    private Allocations() {}

    /**
     * Runs {@code work} several times on this thread and returns the smallest number of bytes that one run allocated.
     * The first runs allocate more, because the code is not compiled yet.
     */
    public static long inSteadyState(Runnable work) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            work.run();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }
}
