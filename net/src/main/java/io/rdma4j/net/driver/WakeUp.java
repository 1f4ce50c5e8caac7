package io.rdma4j.net.driver;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Lets one thread sleep until another one calls it, for links that no kernel watches. Any thread may call. */
final class WakeUp {
    /** Holds one permit at most: a call that nobody has slept through yet. */
    private final Semaphore calls = new Semaphore(0);

    /** Returns at a call, at once if there was one since the last return, or when the time is up. */
    void await(long timeoutNs) {
        try {
            if (calls.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)) {
                calls.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void call() {
        if (calls.availablePermits() == 0) {
            calls.release();
        }
    }
}
