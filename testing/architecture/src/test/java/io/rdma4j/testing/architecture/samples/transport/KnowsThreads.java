// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.transport;

/** An engine that depends on threads. */
public final class KnowsThreads {
    private KnowsThreads() {}

    /** Name of the calling thread. */
    public static String caller() {
        return Thread.currentThread().getName();
    }
}
