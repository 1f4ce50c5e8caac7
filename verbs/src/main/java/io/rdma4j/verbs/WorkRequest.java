// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

/** A request for the send queue or the receive queue of a queue pair. */
public sealed interface WorkRequest permits SendRequest, ReceiveRequest {
    /** {@return the number in its completion} Corresponds to {@code wr_id}. */
    long wrId();
}
