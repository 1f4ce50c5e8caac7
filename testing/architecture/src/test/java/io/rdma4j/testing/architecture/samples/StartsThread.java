// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples;

/** Starts a thread outside of the allowed classes. */
public final class StartsThread {
    private StartsThread() {}

    /** Starts the thread. */
    public static Thread start(Runnable work) {
        return Thread.ofPlatform().start(work);
    }
}
