// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.transport;

/** An engine that reads the clock. */
public final class ReadsTheClock {
    private ReadsTheClock() {}

    /** Current time, ns. */
    public static long now() {
        return System.nanoTime();
    }
}
