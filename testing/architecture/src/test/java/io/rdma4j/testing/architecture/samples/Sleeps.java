// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples;

/** Calls {@code Thread.sleep}. */
public final class Sleeps {
    private Sleeps() {}

    /** Sleeps 1 ms. */
    public static void sleep() throws InterruptedException {
        Thread.sleep(1);
    }
}
