package io.rdma4j.net.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A set of descriptors that is itself one, readable when one of them is ({@code epoll(7)}); a closed one leaves it. */
final class Epoll implements AutoCloseable {
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLLIN = 1;

    /** Of {@code struct epoll_event} only the first word matters, which is at the same place on all machines; the size is not. */
    private static final int EVENT_BYTES = 16;

    private final Libc libc = new Libc();
    private final String device;
    private final int fd;

    /** @param device for messages */
    Epoll(String device) {
        this.device = device;
        this.fd = LinuxError.check(
                libc.epollCreate(Kernel.CLOEXEC), device, "epoll_create1", "this process has too many files open");
    }

    int descriptor() {
        return fd;
    }

    /** From now on it is readable when {@code watched} is, for a thread that sleeps already, too. */
    void add(int watched) {
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
