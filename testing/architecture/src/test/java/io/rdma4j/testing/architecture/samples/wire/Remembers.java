// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.wire;

/** A codec with mutable static state. */
public final class Remembers {
    private static int last;

    private Remembers() {}

    /** Returns the previous value. */
    public static int exchange(int value) {
        int before = last;
        last = value;
        return before;
    }
}
