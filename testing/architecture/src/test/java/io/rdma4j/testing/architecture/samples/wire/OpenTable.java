package io.rdma4j.testing.architecture.samples.wire;

/** A codec whose table anybody can write to. */
public final class OpenTable {
    static final int[] LENGTHS = {12, 8};

    private OpenTable() {}
}
