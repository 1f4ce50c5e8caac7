// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.net.NetDevice;
import java.util.concurrent.locks.ReentrantLock;

/** A device whose packets wake a worker, and the vector of its interrupt. One thread at a time sleeps in the device. */
final class DeviceInterrupt {
    private final NetDevice device;
    private final InterruptVector vector;
    private final ReentrantLock place = new ReentrantLock();

    /** A sleep in the device has thrown. */
    private volatile boolean broken;

    DeviceInterrupt(NetDevice device, InterruptVector vector) {
        this.device = device;
        this.vector = vector;
    }

    NetDevice device() {
        return device;
    }

    InterruptVector vector() {
        return vector;
    }

    /** True if a thread may sleep in the device: it is up, and its driver has not failed. */
    boolean isReady() {
        return !broken && device.isUp();
    }

    /** Handles that a sleep in the device has thrown: no thread sleeps there any more. */
    void breakDown() {
        broken = true;
    }

    /**
     * Sleeps until the device has a packet, another thread wakes the sleeping thread, or the time is up. Returns false
     * at once if another thread sleeps in the device.
     */
    boolean tryAwait(long timeoutNs) {
        if (!place.tryLock()) {
            return false;
        }
        try {
            device.driver().awaitReadable(timeoutNs);
        } finally {
            place.unlock();
        }
        return true;
    }

    /** As {@link #tryAwait}, but first waits until a thread that is about to leave has left. */
    void await(long timeoutNs) {
        place.lock();
        try {
            device.driver().awaitReadable(timeoutNs);
        } finally {
            place.unlock();
        }
    }

    /** Ends the current sleep in the device, or the next one. */
    void wake() {
        device.driver().wakeup();
    }
}
