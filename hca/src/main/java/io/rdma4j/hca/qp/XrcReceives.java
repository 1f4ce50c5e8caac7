// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.transport.port.SharedReceiveState;
import org.jspecify.annotations.Nullable;

/** The shared receive queues of an XRC domain. */
@FunctionalInterface
public interface XrcReceives {
    /** Returns the queue with a number, or null; for the owner of the port loop. */
    @Nullable
    SharedReceiveState find(int number);
}
