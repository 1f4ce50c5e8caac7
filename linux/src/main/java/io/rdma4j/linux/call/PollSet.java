// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Lets one thread sleep until a descriptor is readable or another thread calls {@link #wakeup}. Allocates nothing after
 * the constructor.
 */
public final class PollSet implements AutoCloseable {
    private static final short POLLIN = 1;

    // struct pollfd
    private static final int POLLFD_BYTES = 8;
    private static final int EVENTS = 4;
    private static final int REVENTS = 6;

    private static final int TIMESPEC_BYTES = 16;
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Held by the sleeping thread. */
    private final Object sleeper = new Object();

    private final Libc libc = new Libc();
    private final int watched;
    private final int event;
    private final MemorySegment fds;
    private final MemorySegment timeout = Arena.ofAuto().allocate(TIMESPEC_BYTES, Long.BYTES);
    private final MemorySegment count = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private volatile boolean closed;

    /** @param device for error messages */
    public PollSet(String device, int... descriptors) {
        watched = descriptors.length;
        event = LinuxError.check(
                libc.eventfd(0, Kernel.NONBLOCK | Kernel.CLOEXEC),
                device,
                "eventfd",
                "this process has too many files open");
        fds = Arena.ofAuto().allocate((watched + 1L) * POLLFD_BYTES, Integer.BYTES);
        for (int i = 0; i <= watched; i++) {
            fds.set(ValueLayout.JAVA_INT, (long) i * POLLFD_BYTES, i < watched ? descriptors[i] : event);
            fds.set(ValueLayout.JAVA_SHORT, (long) i * POLLFD_BYTES + EVENTS, POLLIN);
        }
    }

    /**
     * Sleeps until a descriptor is readable, {@link #wakeup} is called, or the time has elapsed; may return early. One
     * thread at a time.
     */
    public void await(long timeoutNs) {
        if (timeoutNs <= 0) {
            return;
        }
        synchronized (sleeper) {
            if (!closed) {
                sleep(timeoutNs);
            }
        }
    }

    private void sleep(long timeoutNs) {
        timeout.set(ValueLayout.JAVA_LONG, 0, timeoutNs / NANOS_PER_SECOND);
        timeout.set(ValueLayout.JAVA_LONG, Long.BYTES, timeoutNs % NANOS_PER_SECOND);
        int ready = Libc.ppoll(fds, watched + 1L, timeout);
        if (ready > 0 && isReady(watched)) {
            Libc.eventfdRead(event, count);
        }
    }

    /**
     * Returns true if descriptor {@code index} was ready at the end of the last {@link #await}. For the thread that
     * slept.
     */
    public boolean isReady(int index) {
        return fds.get(ValueLayout.JAVA_SHORT, (long) index * POLLFD_BYTES + REVENTS) != 0;
    }

    /** Ends the {@link #await} of another thread, or its next one. Any thread. */
    public synchronized void wakeup() {
        if (!closed) {
            Libc.eventfdWrite(event);
        }
    }

    /**
     * Ends the {@link #await} of another thread and waits until it has returned; later calls return at once. The
     * descriptors stay open.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            Libc.eventfdWrite(event);
            synchronized (sleeper) {
                libc.close(event);
            }
        }
    }
}
