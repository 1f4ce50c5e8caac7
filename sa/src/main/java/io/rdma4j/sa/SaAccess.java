// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

/**
 * The subnet administrator for a device that another process serves: an {@linkplain
 * io.rdma4j.verbs.Context#extension extension} of its contexts. Any thread.
 */
public interface SaAccess {
    /**
     * Asks for the path record with given components, as {@link SaClient#path}. Does not wait.
     *
     * @param port port number, from 1
     * @param wanted PATH_RECORD
     * @param timeoutMs total time, at least 1
     * @param handler gets the result once; called by a thread of its own
     */
    void path(int port, SaRecord wanted, int timeoutMs, SaHandler handler);
}
