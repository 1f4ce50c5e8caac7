// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

/** Receives results. Called by the thread that drives the port, without a lock; must not block. */
@FunctionalInterface
public interface SaHandler {
    /**
     * Reports the end of a query, or a change of a membership.
     *
     * @param result error or records
     */
    void completed(SaResult result);
}
