// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

/**
 * What the parts of a queue pair request of the engine that holds them. Called by the owner of the port loop, from
 * within a call of the engine or from the destructor of a buffer.
 */
public interface QpControl {
    /** Ends all work: the queue pair goes to ERR. */
    void enterError();

    /** Handles that a send of an unreliable service failed: the send queue goes to SQE. */
    void enterSendError();

    /** Handles that requests may have left the send queue. */
    void onRequestsCompleted();

    /** Makes the alternate path of a connection the primary one. */
    void takeAlternatePath();
}
