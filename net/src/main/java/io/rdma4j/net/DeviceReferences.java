package io.rdma4j.net;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts who holds a device ({@code pcpu_refcnt}). The counter is striped: threads that hold and put do not disturb each
 * other, and only the sum says something.
 */
public final class DeviceReferences {
    private final LongAdder count = new LongAdder();
    private final NetDevice device;

    DeviceReferences(NetDevice device) {
        this.device = device;
    }

    /** From now on the device is not released ({@code dev_hold}); any thread, no allocation, no lock. */
    public void hold() {
        count.increment();
    }

    /**
     * Gives a reference back ({@code dev_put}). Whoever gives back the last one of a device that is unregistered sees to it
     * that it is released.
     */
    public void put() {
        count.decrement();
        DeviceRegistration registration = device.registration();
        if (registration.state() == RegistrationState.UNREGISTERED && count() == 0) {
            registration.referencesGone();
        }
    }

    /** {@return references that are out ({@code netdev_refcnt_read}); a little old while others hold and put} */
    public long count() {
        return count.sum();
    }
}
