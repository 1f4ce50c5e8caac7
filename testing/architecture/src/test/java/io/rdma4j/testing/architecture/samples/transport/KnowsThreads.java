package io.rdma4j.testing.architecture.samples.transport;

/** An engine that asks who runs it. */
public final class KnowsThreads {
    private KnowsThreads() {}

    /** Name of the thread. */
    public static String caller() {
        return Thread.currentThread().getName();
    }
}
