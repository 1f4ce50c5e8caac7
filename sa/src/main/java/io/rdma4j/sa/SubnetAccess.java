// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.verbs.spi.PortInterface;
import java.util.List;

/**
 * What another process, which serves an InfiniBand device, knows of its subnet: an {@linkplain
 * io.rdma4j.verbs.Context#extension extension} of the contexts of the device in this process. Any thread.
 */
public interface SubnetAccess {
    /**
     * {@return the network interfaces over ports of the device, at this moment}
     *
     * @throws io.rdma4j.base.RdmaException EIO if the other process has ended
     */
    List<PortInterface> interfaces();

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
