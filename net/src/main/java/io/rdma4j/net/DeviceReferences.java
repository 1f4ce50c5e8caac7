// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.RegistrationState;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reference count of a device ({@code pcpu_refcnt}). The counter is striped, so that concurrent {@link #hold} and
 * {@link #put} do not contend. Only the sum is meaningful.
 */
public final class DeviceReferences {
    private final LongAdder count = new LongAdder();
    private final DeviceCore core;
    private final Runnable allReleased;

    /** Calls {@code allReleased} when the last reference to the unregistered device is released. */
    DeviceReferences(DeviceCore core, Runnable allReleased) {
        this.core = core;
        this.allReleased = allReleased;
    }

    /**
     * Adds a reference ({@code dev_hold}); the device is not released before {@link #put}. Any thread may call it; it
     * takes no lock and allocates nothing.
     */
    public void hold() {
        count.increment();
    }

    /**
     * Releases a reference ({@code dev_put}). The caller that releases the last reference to an unregistered device
     * starts the release of the device.
     */
    public void put() {
        count.decrement();
        if (core.registration() == RegistrationState.UNREGISTERED && count() == 0) {
            allReleased.run();
        }
    }

    /**
     * {@return number of references ({@code netdev_refcnt_read}); approximate during concurrent calls of {@link #hold}
     * and {@link #put}}
     */
    public long count() {
        return count.sum();
    }
}
