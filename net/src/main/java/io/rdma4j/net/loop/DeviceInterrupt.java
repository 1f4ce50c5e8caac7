package io.rdma4j.net.loop;

import io.rdma4j.net.NetDevice;
import java.util.concurrent.locks.ReentrantLock;

/** A device that a worker waits for, and the vector that this raises. One thread at a time sleeps in it. */
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

    /** A sleep in the device has thrown: no thread sleeps there any more. */
    void breakDown() {
        broken = true;
    }

    /** Sleeps until the device has something, somebody wakes the sleeper, or the time is up; false at once if another thread does so. */
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

    /** As {@link #tryAwait}, after a thread that is about to leave has done so. */
    void await(long timeoutNs) {
        place.lock();
        try {
            device.driver().awaitReadable(timeoutNs);
        } finally {
            place.unlock();
        }
    }

    /** Ends the sleep of whoever sleeps in the device, or the next one. */
    void wake() {
        device.driver().wakeup();
    }
}
