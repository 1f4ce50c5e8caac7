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
     * Asks for the record with given components, as {@link SaClient#path} and {@link SaClient#query}. Does not wait.
     *
     * @param port port number, from 1
     * @param wanted PATH_RECORD or MC_MEMBER_RECORD
     * @param timeoutMs total time, at least 1
     * @param handler gets the result once; called by a thread of its own
     */
    void query(int port, SaRecord wanted, int timeoutMs, SaHandler handler);

    /**
     * Joins a multicast group, as {@link SaClient#join}. Does not wait.
     *
     * @param port port number, from 1
     * @param member MC_MEMBER_RECORD with MGID and join state
     * @param handler gets the record of the group, or an error that ends the membership, and the results of later
     *     joins; called by a thread of its own
     * @return leaves the group; the handler is not called any more
     * @throws io.rdma4j.base.RdmaException EIO if the other process has ended; the errors of {@link SaClient#join}
     */
    Runnable join(int port, SaRecord member, SaHandler handler);
}
