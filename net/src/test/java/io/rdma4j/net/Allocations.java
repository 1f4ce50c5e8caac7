package io.rdma4j.net;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts the bytes that a piece of work allocates on the Java heap. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 6;

    private Allocations() {}

    /**
     * Runs {@code work} several times on this thread and returns the least that one run allocated: what remains when the
     * compiler has done its part.
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
