package io.rdma4j.testing.architecture.samples;

/** Waits for luck. */
public final class Sleeps {
    private Sleeps() {}

    /** Sleeps a millisecond. */
    public static void sleep() throws InterruptedException {
        Thread.sleep(1);
    }
}
