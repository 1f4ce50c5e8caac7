// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import java.util.function.Supplier;

/** Runs operations of the control path while no other thread runs the port loop. Any thread. */
public interface PortLock {
    /**
     * Waits until no other thread runs the loop, and runs {@code operation}.
     *
     * @param <T> type of the result
     * @param operation short, because packets wait meanwhile
     * @return the result of the operation
     */
    <T> T exclusively(Supplier<T> operation);

    /** As {@link #exclusively(Supplier)}, without a result. */
    void exclusively(Runnable operation);
}
