// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.device.PortCapability;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sets a capability bit of a port that announces a listening agent, until it is closed; see {@link Port#announce}. Any
 * thread.
 */
public final class PortAnnouncement implements AutoCloseable {
    private final PortCapability capability;
    private final Runnable withdrawal;
    private final AtomicBoolean closed = new AtomicBoolean();

    PortAnnouncement(PortCapability capability, Runnable withdrawal) {
        this.capability = capability;
        this.withdrawal = withdrawal;
    }

    /** {@return the announced capability} */
    public PortCapability capability() {
        return capability;
    }

    /** Withdraws this announcement; the last one of its capability clears the bit. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            withdrawal.run();
        }
    }
}
