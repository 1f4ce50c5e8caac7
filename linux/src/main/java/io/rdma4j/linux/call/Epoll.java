// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An epoll instance ({@code epoll(7)}): a descriptor that is readable if one of its descriptors is. The kernel removes
 * a descriptor when it is closed.
 */
public final class Epoll implements AutoCloseable {
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLLIN = 1;

    /**
     * Upper limit of the size of {@code struct epoll_event}, which depends on the machine. Only its first word is used,
     * which has the same offset on all machines.
     */
    private static final int EVENT_BYTES = 16;

    private final Libc libc = new Libc();
    private final String device;
    private final int fd;

    /** @param device for error messages */
    public Epoll(String device) {
        this.device = device;
        this.fd = LinuxError.check(
                libc.epollCreate(Kernel.CLOEXEC), device, "epoll_create1", "this process has too many files open");
    }

    public int descriptor() {
        return fd;
    }

    /** Adds a descriptor; this also takes effect for a thread that already sleeps. */
    public void add(int watched) {
        MemorySegment event = Arena.ofAuto().allocate(EVENT_BYTES, Long.BYTES);
        event.set(ValueLayout.JAVA_INT, 0, EPOLLIN);
        LinuxError.check(
                libc.epollCtl(fd, EPOLL_CTL_ADD, watched, event),
                device,
                "epoll_ctl",
                "the system has no room for more");
    }

    @Override
    public void close() {
        libc.close(fd);
    }
}
