package io.rdma4j.testing.architecture.samples;

/** A thread from anywhere. */
public final class StartsThread {
    private StartsThread() {}

    /** Starts it. */
    public static Thread start(Runnable work) {
        return Thread.ofPlatform().start(work);
    }
}
