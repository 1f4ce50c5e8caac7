// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

/** Callbacks from the device's end of a completion queue to its device; none of them may block or allocate. */
public interface CompletionOwner {
    /** Called when a requested event is raised; any thread. */
    void completion();

    /** Called once when the queue breaks; on the owner of the port loop. */
    void error();

    /** {@return the present time of the device's clock in ns; any thread} */
    long nanoTime();

    /** Called when {@link CompletionRing#nextDeadlineNs} has changed; on the owner of the port loop. */
    void deadlineChanged();
}
