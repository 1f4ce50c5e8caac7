package io.rdma4j.testing.architecture.samples.transport;

/** An engine that looks at the clock itself. */
public final class ReadsTheClock {
    private ReadsTheClock() {}

    /** Nanoseconds. */
    public static long now() {
        return System.nanoTime();
    }
}
