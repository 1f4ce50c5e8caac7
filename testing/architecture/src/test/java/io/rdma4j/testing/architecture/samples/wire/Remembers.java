package io.rdma4j.testing.architecture.samples.wire;

/** A codec with a memory. */
public final class Remembers {
    private static int last;

    private Remembers() {}

    /** What was there before. */
    public static int exchange(int value) {
        int before = last;
        last = value;
        return before;
    }
}
