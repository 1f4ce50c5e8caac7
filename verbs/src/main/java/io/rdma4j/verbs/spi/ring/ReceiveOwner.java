// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.jspecify.annotations.Nullable;

/** Callbacks from the posting end of a receive queue to the object that owns the queue. */
public interface ReceiveOwner {
    /** {@return the message for the application if receives cannot be posted now; null if they can} */
    @Nullable
    String receiveRefusal();

    /** Called after new elements were published in the ring. */
    void receiveDoorbell();
}
